#compdef earshot
autoload -U +X bashcompinit && bashcompinit
complete -o default -o bashdefault -C /usr/bin/earshot earshot
