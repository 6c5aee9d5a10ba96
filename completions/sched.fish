# fish completion for sched, which is also called scheds. It asks the sched in PATH, and evaluates nothing on the line.

# Sets the candidates. Fails if fish should offer files.
function __sched_ask
    set -g __sched_candidates
    command -sq sched
    or return 0
    set -l before (commandline -opc)
    set -l token (commandline -ct)
    # The word at the cursor without quotes, which may still be open.
    set -l word $token
    for end in '' "'" '"'
        set -l unquoted (string unescape -- "$token$end")
        and set word $unquoted
        and break
    end
    set -l answer (command sched __complete $before[2..-1] "$word" 2>/dev/null </dev/null)
    test "$answer[-1]" = :files
    and return 1
    set -g __sched_candidates $answer[1..-2]
    return 0
end

for name in sched scheds
    complete -c $name -e
    complete -c $name -f -n __sched_ask -a '$__sched_candidates'
end
