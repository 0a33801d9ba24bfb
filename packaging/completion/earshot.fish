function __complete_earshot
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    /usr/bin/earshot
end
complete -f -c earshot -a "(__complete_earshot)"
complete -c earshot -n "not __complete_earshot | string length -q" -F
