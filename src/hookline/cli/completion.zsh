#compdef hookline
_hookline() {
    local -a found
    found=(${(f)"$(hookline completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -a found; else _files; fi
}
compdef _hookline hookline
