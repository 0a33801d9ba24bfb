complete -o default -o bashdefault -C /usr/bin/earshot earshot
