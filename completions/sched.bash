# bash completion for sched, made by 'npm run generate'.
# For bash 3.2 and newer, with or without the bash-completion package. All words stand in this file, but for the names
# of profiles: only for those is sched itself started. Completing asks no server and expands nothing of the line.

# The functions below set local variables of _sched.

_sched_noun() {
  case $1 in
    events | event) noun=events verbs='list get cancel' ;;
    invitees | invitee) noun=invitees verbs='list get create no-show reconcile' ;;
    event-types | event-type) noun=event-types verbs='list get create update hosts' ;;
    availability) noun=availability verbs='list update' ;;
    shares | share) noun=shares verbs='create' ;;
    one-offs | one-off) noun=one-offs verbs='create' ;;
    locations | location) noun=locations verbs='list' ;;
    routing-forms | routing-form) noun=routing-forms verbs='list submissions' ;;
    orgs | org) noun=orgs verbs='get' ;;
    members | member) noun=members verbs='list get' ;;
    invitations | invitation) noun=invitations verbs='list' ;;
    groups | group) noun=groups verbs='list get relationships relationship events' ;;
    users | user) noun=users verbs='me get' ;;
    activity) noun=activity verbs='list' ;;
    compliance) noun=compliance verbs='delete runs verify prove key bundle' ;;
    auth) noun=auth verbs='login status token refresh logout' ;;
    profiles | profile) noun=profiles verbs='list show add set use remove export' ;;
    mcp) noun=mcp verbs='metadata' ;;
    api) noun=api command=api ;;
    doctor) noun=doctor command=doctor ;;
    sandbox) noun=sandbox verbs='start run tokens reset clock openapi' ;;
    ratelimit) noun=ratelimit command=ratelimit ;;
    completion) noun=completion command=completion ;;
    man) noun=man command=man ;;
    *) return 1 ;;
  esac
}

_sched_command() {
  case $1 in
    'events list')
      flags='--today --tomorrow --week --upcoming --past --event-type --search --user --org --group --invitee --status --since --until --sort --limit --all --page-size --with'
      takers='--event-type --search --user --org --group --invitee --status --since --until --sort --limit --page-size --with'
      fields='uri name meeting_notes_plain meeting_notes_html status start_time end_time event_type location location.type location.location location.join_url location.status invitees_counter invitees_counter.total invitees_counter.active invitees_counter.limit created_at updated_at event_memberships event_memberships.user event_memberships.user_email event_memberships.user_name _sched'
      ;;
    'events get')
      flags='--with'
      takers='--with'
      fields='uri name meeting_notes_plain meeting_notes_html status start_time end_time event_type location location.type location.location location.join_url location.status invitees_counter invitees_counter.total invitees_counter.active invitees_counter.limit created_at updated_at event_memberships event_memberships.user event_memberships.user_email event_memberships.user_name _sched'
      ;;
    'events cancel')
      flags='--reason --body --from --column --field --skip-invalid --receipt --again'
      takers='--reason --body --from --column --field --receipt'
      fields='uri name meeting_notes_plain meeting_notes_html status start_time end_time event_type location location.type location.location location.join_url location.status invitees_counter invitees_counter.total invitees_counter.active invitees_counter.limit created_at updated_at event_memberships event_memberships.user event_memberships.user_email event_memberships.user_name run total accepted rejected unknown skipped receipt head'
      ;;
    'invitees list')
      flags='--status --email --sort --limit --all --page-size'
      takers='--status --email --sort --limit --page-size'
      fields='uri email first_name last_name name status timezone event created_at updated_at tracking tracking.utm_campaign tracking.utm_source tracking.utm_medium tracking.utm_content tracking.utm_term tracking.crm_uuid text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url payment payment.external_id payment.provider payment.amount payment.currency payment.terms payment.successful no_show no_show.uri no_show.created_at reconfirmation scheduling_method invitee_scheduled_by'
      ;;
    'invitees get')
      flags=''
      takers=''
      fields='uri email first_name last_name name status timezone event created_at updated_at tracking tracking.utm_campaign tracking.utm_source tracking.utm_medium tracking.utm_content tracking.utm_term tracking.crm_uuid text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url payment payment.external_id payment.provider payment.amount payment.currency payment.terms payment.successful no_show no_show.uri no_show.created_at reconfirmation scheduling_method invitee_scheduled_by'
      ;;
    'invitees create')
      flags='--event-type --start --email --name --first-name --last-name --timezone --location-kind --location --utm-campaign --utm-source --utm-medium --utm-content --utm-term --crm-uuid --answer --body --if-absent --allow-duplicate'
      takers='--event-type --start --email --name --first-name --last-name --timezone --location-kind --location --utm-campaign --utm-source --utm-medium --utm-content --utm-term --crm-uuid --answer --body'
      fields='uri email first_name last_name name status timezone event created_at updated_at tracking tracking.utm_campaign tracking.utm_source tracking.utm_medium tracking.utm_content tracking.utm_term tracking.crm_uuid text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url payment payment.external_id payment.provider payment.amount payment.currency payment.terms payment.successful no_show no_show.uri no_show.created_at reconfirmation scheduling_method invitee_scheduled_by'
      ;;
    'invitees no-show')
      flags=''
      takers=''
      fields='uri email first_name last_name name status timezone event created_at updated_at tracking tracking.utm_campaign tracking.utm_source tracking.utm_medium tracking.utm_content tracking.utm_term tracking.crm_uuid text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url payment payment.external_id payment.provider payment.amount payment.currency payment.terms payment.successful no_show no_show.uri no_show.created_at reconfirmation scheduling_method invitee_scheduled_by'
      ;;
    'invitees reconcile')
      flags=''
      takers=''
      fields='verdict event_type start_time sent_at decidable_at uri event reason'
      ;;
    'event-types list')
      flags='--user --org --active --no-active --sort --limit --all --page-size'
      takers='--user --org --sort --limit --page-size'
      fields='uri name active slug scheduling_url duration kind pooling_type type color created_at updated_at internal_note description_plain description_html profile profile.type profile.name profile.owner secret booking_method custom_questions custom_questions.name custom_questions.type custom_questions.position custom_questions.enabled custom_questions.required custom_questions.answer_choices custom_questions.include_other deleted_at admin_managed locale'
      ;;
    'event-types get')
      flags=''
      takers=''
      fields='uri name active slug scheduling_url duration kind pooling_type type color created_at updated_at internal_note description_plain description_html profile profile.type profile.name profile.owner secret booking_method custom_questions custom_questions.name custom_questions.type custom_questions.position custom_questions.enabled custom_questions.required custom_questions.answer_choices custom_questions.include_other deleted_at admin_managed locale'
      ;;
    'event-types create')
      flags='--owner --name --duration --active --no-active --event-color --description --location-kind --location --body'
      takers='--owner --name --duration --event-color --description --location-kind --location --body'
      fields='uri name active slug scheduling_url duration kind pooling_type type color created_at updated_at internal_note description_plain description_html profile profile.type profile.name profile.owner secret booking_method custom_questions custom_questions.name custom_questions.type custom_questions.position custom_questions.enabled custom_questions.required custom_questions.answer_choices custom_questions.include_other deleted_at admin_managed locale'
      ;;
    'event-types update')
      flags='--name --duration --active --no-active --event-color --description --location-kind --location --timezone --body'
      takers='--name --duration --event-color --description --location-kind --location --timezone --body'
      fields='uri name active slug scheduling_url duration kind pooling_type type color created_at updated_at internal_note description_plain description_html profile profile.type profile.name profile.owner secret booking_method custom_questions custom_questions.name custom_questions.type custom_questions.position custom_questions.enabled custom_questions.required custom_questions.answer_choices custom_questions.include_other deleted_at admin_managed locale'
      ;;
    'event-types hosts')
      flags='--limit --all --page-size'
      takers='--limit --page-size'
      fields='uri event_type member member.uri member.name member.slug member.email member.scheduling_url member.timezone member.avatar_url member.created_at member.updated_at member.current_organization member.locale member.resource_type created_at updated_at'
      ;;
    'availability list')
      flags='--event-type --limit --all --page-size'
      takers='--event-type --limit --page-size'
      fields='uri default name user timezone rules rules.type rules.wday rules.intervals rules.date'
      ;;
    'availability update')
      flags='--event-type --rule --day-off --remove --replace --timezone'
      takers='--event-type --rule --day-off --remove --timezone'
      fields='uri default name user timezone rules rules.type rules.wday rules.intervals rules.date'
      ;;
    'shares create')
      flags='--event-type --name --duration --duration-option --timezone --period --max-booking-time --rule --location-kind --location --body'
      takers='--event-type --name --duration --duration-option --timezone --period --max-booking-time --rule --location-kind --location --body'
      fields='scheduling_links scheduling_links.booking_url scheduling_links.owner scheduling_links.owner_type share_override'
      ;;
    'one-offs create')
      flags='--name --host --co-host --duration --timezone --location-kind --location --days --weekdays-only --start-date --end-date --spot --body'
      takers='--name --host --co-host --duration --timezone --location-kind --location --days --start-date --end-date --spot --body'
      fields='uri name active slug scheduling_url duration kind pooling_type type color created_at updated_at internal_note description_plain description_html profile profile.type profile.name profile.owner secret booking_method custom_questions custom_questions.name custom_questions.type custom_questions.position custom_questions.enabled custom_questions.required custom_questions.answer_choices custom_questions.include_other deleted_at admin_managed locale'
      ;;
    'locations list')
      flags='--user --limit --all --page-size'
      takers='--user --limit --page-size'
      fields='kind connected'
      ;;
    'routing-forms list')
      flags='--org --sort --limit --all --page-size'
      takers='--org --sort --limit --page-size'
      fields='uri organization name status questions questions.uuid questions.name questions.type questions.required questions.answer_choices created_at updated_at'
      ;;
    'routing-forms submissions')
      flags='--sort --limit --all --page-size'
      takers='--sort --limit --page-size'
      fields='uri routing_form questions_and_answers questions_and_answers.question_uuid questions_and_answers.question questions_and_answers.answer tracking result result.type result.value submitter submitter_type created_at updated_at'
      ;;
    'orgs get')
      flags=''
      takers=''
      fields='uri name kind plan stage created_at updated_at'
      ;;
    'members list')
      flags='--org --user --role --email --limit --all --page-size'
      takers='--org --user --role --email --limit --page-size'
      fields='uri role user user.uri user.name user.slug user.email user.scheduling_url user.timezone user.avatar_url user.created_at user.updated_at user.current_organization user.locale user.resource_type organization created_at updated_at'
      ;;
    'members get')
      flags=''
      takers=''
      fields='uri role user user.uri user.name user.slug user.email user.scheduling_url user.timezone user.avatar_url user.created_at user.updated_at user.current_organization user.locale user.resource_type organization created_at updated_at'
      ;;
    'invitations list')
      flags='--org --email --status --sort --limit --all --page-size'
      takers='--org --email --status --sort --limit --page-size'
      fields='uri organization email status last_sent_at user name kind plan stage created_at updated_at'
      ;;
    'groups list')
      flags='--org --limit --all --page-size'
      takers='--org --limit --page-size'
      fields='uri name organization created_at updated_at'
      ;;
    'groups get')
      flags=''
      takers=''
      fields='uri name organization created_at updated_at'
      ;;
    'groups relationships')
      flags='--org --owner --group --limit --all --page-size'
      takers='--org --owner --group --limit --page-size'
      fields='uri role owner owner.type owner.uri organization group created_at updated_at'
      ;;
    'groups relationship')
      flags=''
      takers=''
      fields='uri role owner owner.type owner.uri organization group created_at updated_at'
      ;;
    'groups events')
      flags='--today --tomorrow --week --upcoming --past --event-type --search --status --since --until --sort --limit --all --page-size --with'
      takers='--event-type --search --status --since --until --sort --limit --page-size --with'
      fields='uri name meeting_notes_plain meeting_notes_html status start_time end_time event_type location location.type location.location location.join_url location.status invitees_counter invitees_counter.total invitees_counter.active invitees_counter.limit created_at updated_at event_memberships event_memberships.user event_memberships.user_email event_memberships.user_name _sched'
      ;;
    'users me')
      flags=''
      takers=''
      fields='uri name slug email scheduling_url timezone avatar_url created_at updated_at current_organization locale resource_type'
      ;;
    'users get')
      flags=''
      takers=''
      fields='uri name slug email scheduling_url timezone avatar_url created_at updated_at current_organization locale resource_type'
      ;;
    'activity list')
      flags='--org --action --namespace --since --until --sort --limit --all --page-size'
      takers='--org --action --namespace --since --until --sort --limit --page-size'
      fields='uri organization action fully_qualified_name namespace actor actor.uri actor.type actor.display_name actor.alternative_identifier details occurred_at'
      ;;
    'compliance delete')
      flags='--from --column --field --skip-invalid --receipt --again --allow-empty --batch-size --confirm --max --org --receipt-key-file'
      takers='--from --column --field --receipt --batch-size --confirm --max --org --receipt-key-file'
      fields='run total accepted rejected unknown skipped receipt head addresses duplicates invalid_lines batches estimated_s digest comments header_lines blank_lines'
      ;;
    'compliance runs')
      flags=''
      takers=''
      fields='run started_at ended_at status total accepted rejected unknown skipped organization owner endpoint tool sandbox finding receipt head'
      ;;
    'compliance verify')
      flags='--head'
      takers='--head'
      fields='status finding line run started_at ended_at total accepted rejected unknown skipped organization owner endpoint tool sandbox receipt head'
      ;;
    'compliance prove')
      flags='--email --receipt-key-file'
      takers='--email --receipt-key-file'
      fields='found verdict at http_status batch mark run receipt_status sandbox receipt'
      ;;
    'compliance key')
      flags=''
      takers=''
      fields='file key'
      ;;
    'compliance bundle')
      flags='--to --receipt-key-file'
      takers='--to --receipt-key-file'
      fields='folder run status head activity_entries receipt'
      ;;
    'auth login')
      flags='--base-url --auth-url --mcp-url --client-id --scopes --add-scopes --read-only --with-token --no-browser --paste --port --credential-store'
      takers='--base-url --auth-url --mcp-url --client-id --scopes --add-scopes --port --credential-store'
      fields='profile base_url source kind user user_name organization scopes expires_at usable'
      ;;
    'auth status')
      flags='--check'
      takers=''
      fields='profile base_url source kind user user_name organization scopes expires_at usable'
      ;;
    'auth token')
      flags='--min-ttl'
      takers='--min-ttl'
      fields=''
      ;;
    'auth refresh')
      flags=''
      takers=''
      fields='profile base_url source kind user user_name organization scopes expires_at usable'
      ;;
    'auth logout')
      flags='--all'
      takers=''
      fields=''
      ;;
    'profiles list')
      flags=''
      takers=''
      fields='name current base_url auth_url mcp_url client_id issuer user organization timezone output uri_root login'
      ;;
    'profiles show')
      flags=''
      takers=''
      fields='name current base_url auth_url mcp_url client_id issuer user organization timezone output uri_root login'
      ;;
    'profiles add')
      flags='--base-url --auth-url --mcp-url --client-id --issuer --user --organization --from'
      takers='--base-url --auth-url --mcp-url --client-id --issuer --user --organization --from'
      fields='name current base_url auth_url mcp_url client_id issuer user organization timezone output uri_root login'
      ;;
    'profiles set')
      flags=''
      takers=''
      fields=''
      ;;
    'profiles use')
      flags=''
      takers=''
      fields=''
      ;;
    'profiles remove')
      flags=''
      takers=''
      fields=''
      ;;
    'profiles export')
      flags=''
      takers=''
      fields=''
      ;;
    'mcp metadata')
      flags=''
      takers=''
      fields='resource authorization_servers scopes_supported bearer_methods_supported'
      ;;
    'api')
      flags='--method --raw-field --field --input --header --paginate --limit --page-size --include --silent --output --if-absent --allow-duplicate'
      takers='--method -X --raw-field -f --field -F --input --header -H --limit --page-size --output -o'
      fields=''
      ;;
    'doctor')
      flags='--network'
      takers=''
      fields='check status finding fix'
      ;;
    'sandbox start')
      flags='--port --data --seed --fault --faults --plan --no-limits --auto-consent --refresh-replay-window'
      takers='--port --data --seed --fault --faults --plan --refresh-replay-window'
      fields='base_url auth_url mcp_url client_id token tokens plan data admin_token'
      ;;
    'sandbox run')
      flags='--port --data --seed --fault --faults --plan --no-limits --auto-consent --refresh-replay-window'
      takers='--port --data --seed --fault --faults --plan --refresh-replay-window'
      fields=''
      ;;
    'sandbox tokens')
      flags=''
      takers=''
      fields='name token user role kind scopes refresh_token'
      ;;
    'sandbox reset')
      flags='--data --seed'
      takers='--data --seed'
      fields=''
      ;;
    'sandbox clock')
      flags='--data'
      takers='--data'
      fields='time offset_seconds data'
      ;;
    'sandbox openapi')
      flags=''
      takers=''
      fields=''
      ;;
    'ratelimit')
      flags=''
      takers=''
      fields='window limit remaining reset_at reset_s waiting'
      ;;
    'completion')
      flags=''
      takers=''
      fields=''
      ;;
    'man')
      flags=''
      takers=''
      fields=''
      ;;
    *) return 1 ;;
  esac
}

_sched_value() {
  case $1 in
    'events list --status' | 'invitees list --status' | 'groups events --status') values='active canceled' ;;
    'events list --sort' | 'groups events --sort') values='start_time:asc start_time:desc' ;;
    'events list --with' | 'events get --with' | 'groups events --with') values='invitees' ;;
    'events cancel --body' | 'invitees create --body' | 'event-types create --body' | 'event-types update --body' | 'shares create --body' | 'one-offs create --body') kind=files ;;
    'events cancel --from' | 'compliance delete --from' | 'profiles add --from') kind=files ;;
    'events cancel --receipt' | 'compliance delete --receipt') kind=files ;;
    'invitees list --sort' | 'routing-forms list --sort' | 'routing-forms submissions --sort' | 'invitations list --sort') values='created_at:asc created_at:desc' ;;
    'invitees create --location-kind' | 'event-types create --location-kind' | 'event-types update --location-kind' | 'shares create --location-kind' | 'one-offs create --location-kind') values='physical custom ask_invitee inbound_call outbound_call google_conference zoom_conference microsoft_teams_conference webex_conference gotomeeting_conference' ;;
    'event-types list --sort') values='name:asc name:desc position:asc position:desc created_at:asc created_at:desc updated_at:asc updated_at:desc' ;;
    'shares create --period') values='available_moving moving fixed unlimited' ;;
    'members list --role') values='owner admin user' ;;
    'invitations list --status') values='pending accepted declined' ;;
    'activity list --sort') values='occurred_at:asc occurred_at:desc' ;;
    'compliance delete --receipt-key-file' | 'compliance prove --receipt-key-file' | 'compliance bundle --receipt-key-file') kind=files ;;
    'compliance runs 1' | 'compliance verify 1' | 'compliance prove 1' | 'compliance key 1' | 'compliance bundle 1') kind=files ;;
    'auth login --credential-store') values='keychain file' ;;
    'profiles show 1' | 'profiles use 1' | 'profiles remove 1' | 'profiles export 1') kind=profiles ;;
    'profiles set 1') values='base_url auth_url mcp_url client_id issuer user organization timezone output uri_root' ;;
    'api --input') kind=files ;;
    'api --output' | 'api -o') values='table json jsonl csv tsv yaml id' ;;
    'api 1') values='GET POST PATCH PUT DELETE' ;;
    'sandbox start --data' | 'sandbox run --data' | 'sandbox reset --data' | 'sandbox clock --data') kind=files ;;
    'sandbox start --faults' | 'sandbox run --faults') kind=files ;;
    'sandbox start --plan' | 'sandbox run --plan') values='trial free standard enterprise' ;;
    'sandbox clock 1') values='set advance' ;;
    'completion 1') values='bash zsh fish powershell' ;;
    'man 1') values='events invitees event-types availability shares one-offs locations routing-forms orgs members invitations groups users activity compliance mcp auth profiles api doctor sandbox ratelimit completion man flags formatting time environment exit-codes ci' ;;
    *' --output' | *' -o') values='table json jsonl csv tsv yaml id' ;;
    *' --json') kind=fields ;;
    *' --fields') kind=fields ;;
    *' --color') values='auto always never' ;;
    *' --profile' | *' -p') kind=profiles ;;
    *) return 1 ;;
  esac
}

# A word, if it begins with what is typed. Its space is added here, as bash 3.2 cannot tell it for each word.
_sched_add() {
  local before=''
  # Where bash breaks words at : it puts only what stands behind the last one in place.
  [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]] && before=${typed%"${typed##*:}"}
  [[ " ${COMPREPLY[*]-}" == *" $lead$1 "* ]] && return 0
  [[ $1 == "$typed"* ]] && COMPREPLY+=("$lead${1#"$before"} ")
  return 0
}

_sched_offer() {
  for word in $1; do _sched_add "$word"; done
}

# Cut into lines by hand, so that no name is split, matched with files or run; it is written as the line needs it.
_sched_profiles() {
  local names quoted
  names=$(command sched profiles list -o id 2>/dev/null </dev/null)
  while [[ -n $names ]]; do
    word=${names%%$'\n'*}
    names=${names#"$word"}
    names=${names#$'\n'}
    printf -v quoted %q "$word"
    [[ -z $word ]] || _sched_add "$quoted"
  done
}

# The last part of a list such as 'uri,na'.
_sched_fields() {
  local chosen=''
  case $typed in
    *,*) chosen="${typed%,*}," typed=${typed##*,} ;;
  esac
  for word in $fields; do
    [[ ",$chosen" == *",$word,"* ]] && continue
    [[ $word == "$typed"* ]] && COMPREPLY+=("$lead$chosen$word")
  done
}

_sched_files() {
  local quoted
  case $typed in
    *[\$\`]*) return 0 ;;
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
  local IFS=$' \t\n'
  local word joined='' noun='' command='' verbs='' flags='' takers='' fields='' taker='' typed='' lead=''
  local -i index count=0 position=1
  local -a line
  local nouns='events invitees event-types availability shares one-offs locations routing-forms orgs members invitations groups users activity compliance auth profiles mcp api doctor sandbox ratelimit completion man help'
  local shared='--output --json --fields --jq --header --raw --tz --color --accessible --quiet --verbose --dry-run --curl --yes --no-input --profile --sandbox --max-wait --allow-refresh --no-wait --timeout --help'
  local shared_takers='--output -o --fields --jq --tz --color --profile -p --max-wait --timeout'
  line=()
  COMPREPLY=()

  # '--output=json' and '15:00' arrive in pieces, as bash breaks words at = and : too.
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]-}
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
    word=${line[index]}
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
        elif [[ $word != help ]]; then
          _sched_noun "$word" || return 0
          [[ -n $command ]] && _sched_command "$command"
        fi
        ;;
    esac
  done

  typed=${line[count - 1]}
  if [[ -n $taker ]]; then
    _sched_complete_value "$command $taker"
    return 0
  fi
  case $typed in
    --*=*)
      taker=${typed%%=*}
      typed=${typed#*=}
      [[ $COMP_WORDBREAKS == *=* ]] || lead="$taker="
      _sched_complete_value "$command $taker"
      ;;
    -*)
      [[ -z $noun ]] && flags='--version'
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
