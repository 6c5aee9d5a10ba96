# bash completion for sched, which is also called scheds, for bash 3.2 and newer. It asks the sched in PATH, and evaluates nothing on the line.

_sched() {
  local piece='' word='' lead='' quote='' breaks=$'\n' end=' ' answer directive
  local -a line
  local -i index
  line=() COMPREPLY=()
  # From bash 4 on, '--output=json' and '15:00' arrive in pieces, split at = and :.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    piece=${COMP_WORDS[index]-}
    if ((index > 1)) && [[ $piece == [=:]* || ${COMP_WORDS[index - 1]} == [=:]* ]]; then
      word+=$piece
    else
      ((index == 1)) || line+=("${word//[\\\'\"]/}")
      word=$piece
    fi
  done
  # Every bash replaces only what follows the last = or :, and an opening quote.
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
  lead=${word%%[\'\"]*}
  lead=${lead%"${lead##*[$breaks]}"}
  piece=${word#"$lead"}
  case $piece in
    [\'\"]*) quote=${piece:0:1} piece=${piece:1} end='' ;;
    *) piece=${piece//\\/} ;;
  esac

  answer=$(command sched __complete ${line[@]+"${line[@]}"} "$lead$piece" 2>/dev/null </dev/null) || return 0
  directive=${answer##*$'\n'}
  if [[ $directive == :files ]]; then
    [[ $piece == *[\$\`]* ]] && return 0
    # bash 4 and newer complete files themselves, including ~ and quotes.
    compopt -o default +o nospace 2>/dev/null && return 0
    while IFS= read -r word; do
      printf -v word %q "$word"
      [[ $word == "''" ]] || COMPREPLY+=("$word")
    done <<<"$(compgen -f -- "$piece")"
    return 0
  fi
  [[ $directive == :list ]] && end=''
  while IFS= read -r word; do
    [[ $word == *$'\t'* ]] || continue
    word=${word%%$'\t'*}
    word=${word:${#lead}}
    case $quote$directive in
      :words) printf -v word %q "$word" ;;
      \"*) [[ $word == *[\"\\\$\`!]* ]] && continue ;;
      \'*) [[ $word == *\'* ]] && continue ;;
    esac
    COMPREPLY+=("$word$end")
  done <<<"$answer"
}

complete -o nospace -F _sched sched scheds
