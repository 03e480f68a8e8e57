# Bash takes a colon for the end of a word, as in the ids of hooks: whole words go there and only their ends come back.
_hookline() {
    local IFS=$' \t' line="${COMP_LINE:0:COMP_POINT}" last
    local -a typed
    read -ra typed <<< "$line"
    [[ "$line" == *[$' \t'] ]] && typed+=("")
    last="${typed[${#typed[@]}-1]}"
    IFS=$'\n'
    COMPREPLY=($(hookline completion --words "${typed[@]:1}" 2>/dev/null))
    if [[ "$COMP_WORDBREAKS" == *:* && "$last" == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*:}"}"}")
    fi
}
complete -o default -F _hookline hookline
