import {
  askForProfiles,
  flagsWithValue,
  helpCommand,
  namesOf,
  spellings,
  type ValueRule,
  valueRules,
  type Words,
} from '../words.ts';

/** Words for bash: they are plain (see words.ts), so that no quoting can go wrong. */
const assign = (name: string, words: string): string => (words === '' ? '' : ` ${name}='${words}'`);

const nounCases = ({ nouns }: Words): string[] =>
  nouns.map(
    (noun) =>
      `    ${spellings(noun).join(' | ')}) noun=${noun.word}${noun.verbs.length === 0 ? ` command=${noun.word}` : assign('verbs', namesOf(noun.verbs))} ;;`,
  );

const commandCases = ({ commands }: Words): string[] =>
  commands.flatMap(({ path, flags, fields }) => [
    `    '${path}')`,
    `      flags='${namesOf(flags)}'`,
    `      takers='${flagsWithValue(flags).join(' ')}'`,
    `      fields='${fields.join(' ')}'`,
    '      ;;',
  ]);

const valueCase = ({ commands, names, value }: ValueRule): string => {
  const patterns = commands.flatMap((command) =>
    names.map((name) => (command === '*' ? `*' ${name}'` : `'${command} ${name}'`)),
  );
  const action = value.kind === 'words' ? `values='${value.words.join(' ')}'` : `kind=${value.kind}`;
  return `    ${patterns.join(' | ')}) ${action} ;;`;
};

export const bashScript = (words: Words): string => `# bash completion for sched, made by 'npm run generate'.
# For bash 3.2 and newer, with or without the bash-completion package. All words stand in this file, but for the names
# of profiles: only for those is sched itself started. Completing asks no server and expands nothing of the line.

# The functions below set local variables of _sched.

_sched_noun() {
  case $1 in
${nounCases(words).join('\n')}
    *) return 1 ;;
  esac
}

_sched_command() {
  case $1 in
${commandCases(words).join('\n')}
    *) return 1 ;;
  esac
}

_sched_value() {
  case $1 in
${valueRules(words).map(valueCase).join('\n')}
    *) return 1 ;;
  esac
}

# A word, if it begins with what is typed. Its space is added here, as bash 3.2 cannot tell it for each word.
_sched_add() {
  local before=''
  # Where bash breaks words at : it puts only what stands behind the last one in place.
  [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]] && before=\${typed%"\${typed##*:}"}
  [[ " \${COMPREPLY[*]-}" == *" $lead$1 "* ]] && return 0
  [[ $1 == "$typed"* ]] && COMPREPLY+=("$lead\${1#"$before"} ")
  return 0
}

_sched_offer() {
  for word in $1; do _sched_add "$word"; done
}

# Cut into lines by hand, so that no name is split, matched with files or run; it is written as the line needs it.
_sched_profiles() {
  local names quoted
  names=$(command ${askForProfiles} 2>/dev/null </dev/null)
  while [[ -n $names ]]; do
    word=\${names%%$'\\n'*}
    names=\${names#"$word"}
    names=\${names#$'\\n'}
    printf -v quoted %q "$word"
    [[ -z $word ]] || _sched_add "$quoted"
  done
}

# The last part of a list such as 'uri,na'.
_sched_fields() {
  local chosen=''
  case $typed in
    *,*) chosen="\${typed%,*}," typed=\${typed##*,} ;;
  esac
  for word in $fields; do
    [[ ",$chosen" == *",$word,"* ]] && continue
    [[ $word == "$typed"* ]] && COMPREPLY+=("$lead$chosen$word")
  done
}

_sched_files() {
  local quoted
  case $typed in
    *[\\$\\\`]*) return 0 ;;
  esac
  # bash 4 and newer complete files by themselves, and know tilde and quotes.
  compopt -o default +o nospace 2>/dev/null && return 0
  for word in "$typed"*; do
    [[ -e $word ]] || continue
    printf -v quoted %q "$word"
    if [[ -d $word ]]; then quoted+=/; else quoted+=' '; fi
    COMPREPLY+=("$lead$quoted")
  done
}

_sched_complete_value() {
  local kind='' values=''
  _sched_value "$1" || return 1
  case $kind in
    fields) _sched_fields ;;
    files) _sched_files ;;
    profiles) _sched_profiles ;;
    *) _sched_offer "$values" ;;
  esac
}

_sched() {
  local IFS=$' \\t\\n'
  local word joined='' noun='' command='' verbs='' flags='' takers='' fields='' taker='' typed='' lead=''
  local -i index count=0 position=1
  local -a line
  local nouns='${namesOf([...words.nouns, helpCommand])}'
  local shared='${namesOf(words.shared)}'
  local shared_takers='${flagsWithValue(words.shared).join(' ')}'
  line=()
  COMPREPLY=()

  # '--output=json' and '15:00' arrive in pieces, as bash breaks words at = and : too.
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]-}
    if ((count > 1)) && [[ $word == [=:]* ]]; then
      line[count - 1]+=$word
      joined=yes
    elif [[ -n $joined ]]; then
      line[count - 1]+=$word
      joined=''
    else
      line[count]=$word
      count+=1
    fi
  done

  for ((index = 1; index < count - 1; index++)); do
    word=\${line[index]}
    if [[ -n $taker ]]; then
      taker=''
      continue
    fi
    case $word in
      --) return 0 ;;
      -?*) [[ " $takers $shared_takers " == *" $word "* ]] && taker=$word ;;
      *)
        if [[ -n $command ]]; then
          position+=1
        elif [[ -n $noun ]]; then
          command="$noun $word"
          _sched_command "$command" || return 0
        elif [[ $word != ${helpCommand.word} ]]; then
          _sched_noun "$word" || return 0
          [[ -n $command ]] && _sched_command "$command"
        fi
        ;;
    esac
  done

  typed=\${line[count - 1]}
  if [[ -n $taker ]]; then
    _sched_complete_value "$command $taker"
    return 0
  fi
  case $typed in
    --*=*)
      taker=\${typed%%=*}
      typed=\${typed#*=}
      [[ $COMP_WORDBREAKS == *=* ]] || lead="$taker="
      _sched_complete_value "$command $taker"
      ;;
    -*)
      [[ -z $noun ]] && flags='${namesOf(words.root)}'
      _sched_offer "$flags $shared"
      ;;
    *)
      if [[ -z $noun ]]; then
        _sched_offer "$nouns"
      elif [[ -z $command ]]; then
        _sched_offer "$verbs"
      else
        _sched_complete_value "$command $position" || _sched_offer "$flags $shared"
      fi
      ;;
  esac
  return 0
}

complete -o nospace -F _sched sched
`;
