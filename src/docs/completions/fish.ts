import {
  askForProfiles,
  flagsWithValue,
  groupBy,
  helpCommand,
  spellings,
  type ValueRule,
  valueRules,
  type Word,
  type Words,
} from '../words.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A line that prints each word with its description. */
const print = (words: readonly Word[]): string =>
  words.length === 0
    ? 'true'
    : `printf '%s\\t%s\\n' ${words.map(({ word, description }) => `${word} ${quoted(description)}`).join(' \\\n                ')}`;

const nounCases = ({ nouns }: Words): string[] =>
  nouns.map((noun) => `        case ${spellings(noun).join(' ')}\n            echo ${noun.word}`);

const verbCases = ({ nouns }: Words): string[] =>
  nouns
    .filter(({ verbs }) => verbs.length > 0)
    .map(({ word, verbs }) => `        case ${word}\n            ${print(verbs)}`);

const flagCases = ({ commands }: Words): string[] =>
  commands.map(({ path, flags }) => `        case '${path}'\n            ${print(flags)}`);

const takerCases = ({ commands }: Words): string[] =>
  commands
    .filter(({ flags }) => flagsWithValue(flags).length > 0)
    .map(({ path, flags }) => `        case '${path}'\n            printf '%s\\n' ${flagsWithValue(flags).join(' ')}`);

const fieldCases = ({ commands }: Words): string[] => {
  const byFields = groupBy(commands, ({ fields }) => fields.join(' '));
  return [...byFields]
    .filter(([fields]) => fields !== '')
    .map(
      ([fields, same]) =>
        `        case ${same.map(({ path }) => `'${path}'`).join(' ')}\n            printf '%s\\n' ${fields}`,
    );
};

const valueCase = ({ commands, names, value }: ValueRule): string => {
  const patterns = commands.flatMap((command) => names.map((name) => `'${command} ${name}'`));
  const action = value.kind === 'words' ? `printf '%s\\n' words ${value.words.join(' ')}` : `echo ${value.kind}`;
  return `        case ${patterns.join(' ')}\n            ${action}`;
};

export const fishScript = (words: Words): string => `# fish completion for sched, made by 'npm run generate'.
# All words stand in this file, but for the names of profiles: only for those is sched itself started. Completing asks
# no server and expands nothing of the line.

function __sched_nouns
    ${print([...words.nouns, helpCommand])}
end

function __sched_noun
    switch $argv[1]
${nounCases(words).join('\n')}
    end
end

function __sched_verbs
    switch $argv[1]
${verbCases(words).join('\n')}
    end
end

function __sched_flags
    switch $argv[1]
        case ''
            ${print(words.root)}
${flagCases(words).join('\n')}
    end
    ${print(words.shared)}
end

function __sched_takers
    printf '%s\\n' ${flagsWithValue(words.shared).join(' ')}
    switch $argv[1]
${takerCases(words).join('\n')}
    end
end

function __sched_fields
    switch $argv[1]
${fieldCases(words).join('\n')}
    end
end

# Prints what kind of value stands there ('words', 'fields', 'files', 'profiles'), then the words.
function __sched_value
    switch $argv[1]
${valueRules(words).map(valueCase).join('\n')}
    end
end

# Prints noun, command and what the word at the cursor is: a flag whose value it is, the number of an argument, or
# 'noun' or 'verb'. Prints nothing where nothing can be offered.
function __sched_place
    set -l noun ''
    set -l command ''
    set -l taker ''
    set -l position 1
    set -l line (commandline -opc)
    for word in $line[2..-1]
        if test -n "$taker"
            set taker ''
            continue
        end
        switch $word
            case --
                return
            case '-?*'
                if contains -- $word (__sched_takers $command)
                    set taker $word
                end
            case '*'
                if test -n "$command"
                    set position (math $position + 1)
                else if test -n "$noun"
                    contains -- $word (__sched_verbs $noun | string replace -r '\\t.*' '')
                    or return
                    set command "$noun $word"
                else if test "$word" != ${helpCommand.word}
                    set noun (__sched_noun $word)
                    test -n "$noun"
                    or return
                    count (__sched_verbs $noun) >/dev/null
                    or set command $noun
                end
        end
    end
    if test -n "$taker"
        printf '%s\\n' "$noun" "$command" $taker
    else if test -z "$noun"
        printf '%s\\n' '' '' noun
    else if test -z "$command"
        printf '%s\\n' $noun '' verb
    else
        printf '%s\\n' $noun $command $position
    end
end

# Prints the key for __sched_value of the word at the cursor, what stands before its value, and its value so far.
function __sched_key
    set -l place $argv
    set -l token (commandline -ct)
    if not string match -q -- '-*' $place[3]; and string match -q -- '--*=*' $token
        set -l parts (string split -m 1 = -- $token)
        printf '%s\\n' "$place[2] $parts[1]" "$parts[1]=" "$parts[2]"
    else if string match -q -- '-*' $place[3]; or not string match -q -- '-*' $token
        printf '%s\\n' "$place[2] $place[3]" '' "$token"
    else
        printf '%s\\n' '' '' "$token"
    end
end

function __sched_wants_files
    set -l place (__sched_place)
    test (count $place) -eq 3
    or return 1
    set -l key (__sched_key $place)
    contains -- files (__sched_value $key[1])[1]
end

function __sched_complete
    set -l place (__sched_place)
    test (count $place) -eq 3
    or return
    set -l key (__sched_key $place)
    set -l value (__sched_value $key[1])
    switch "$value[1]"
        case files
            return
        case words
            printf '%s\\n' $key[2]$value[2..-1]
            return
        case profiles
            command -sq ${askForProfiles.split(' ')[0]}
            or return
            for name in (command ${askForProfiles} 2>/dev/null </dev/null)
                printf '%s\\n' "$key[2]$name"
            end
            return
        case fields
            set -l chosen (string split , -- $key[3])[1..-2]
            for field in (__sched_fields $place[2])
                contains -- $field $chosen
                or echo $key[2](string join , -- $chosen $field)
            end
            return
    end
    string match -q -- '-*' $place[3]
    and return
    if string match -q -- '-*' (commandline -ct)
        __sched_flags $place[2]
    else if test $place[3] = noun
        __sched_nouns
    else if test $place[3] = verb
        __sched_verbs $place[1]
    else
        __sched_flags $place[2]
    end
end

complete -c sched -e
complete -c sched -f -a '(__sched_complete)'
complete -c sched -n __sched_wants_files -F
`;
