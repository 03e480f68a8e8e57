function __hookline_complete
    set -l found (hookline completion --words (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if set -q found[1]
        string join \n -- $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c hookline -f -a '(__hookline_complete)'
