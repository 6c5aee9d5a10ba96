# fish completion for sched, made by 'npm run generate'.
# All words stand in this file, but for the names of profiles: only for those is sched itself started. Completing asks
# no server and expands nothing of the line.

function __sched_nouns
    printf '%s\t%s\n' events 'List, show and cancel events' \
                invitees 'Book meetings, list invitees and mark no-shows' \
                event-types 'Manage event types and list their hosts' \
                availability 'List and update availability schedules' \
                shares 'Create single-use scheduling links' \
                one-offs 'Create one-off meeting links' \
                locations 'List meeting locations a host has connected' \
                routing-forms 'List routing forms and their submissions' \
                orgs 'Show your organization' \
                members 'List members of the organization and their roles' \
                invitations 'List invitations to join the organization' \
                groups 'List groups, their members and their events' \
                users 'Show yourself or another user' \
                activity 'Read the activity log (Enterprise plan)' \
                compliance 'Delete invitee data and check receipts (Enterprise plan)' \
                auth 'Log in and out, and see who is logged in' \
                profiles 'Several accounts side by side' \
                mcp 'Show metadata of the MCP server' \
                api 'Send any request under the base URL and print the reply as it is' \
                doctor 'Look at everything a command rests on, and say how to fix it' \
                sandbox 'The embedded service: serve it, seed it anew' \
                ratelimit 'What is left of the rate limit, and who waits for it' \
                completion 'Print the completion script of a shell' \
                man 'Show the manual page of a command or topic' \
                help 'Help for a command'
end

function __sched_noun
    switch $argv[1]
        case events event
            echo events
        case invitees invitee
            echo invitees
        case event-types event-type
            echo event-types
        case availability
            echo availability
        case shares share
            echo shares
        case one-offs one-off
            echo one-offs
        case locations location
            echo locations
        case routing-forms routing-form
            echo routing-forms
        case orgs org
            echo orgs
        case members member
            echo members
        case invitations invitation
            echo invitations
        case groups group
            echo groups
        case users user
            echo users
        case activity
            echo activity
        case compliance
            echo compliance
        case auth
            echo auth
        case profiles profile
            echo profiles
        case mcp
            echo mcp
        case api
            echo api
        case doctor
            echo doctor
        case sandbox
            echo sandbox
        case ratelimit
            echo ratelimit
        case completion
            echo completion
        case man
            echo man
    end
end

function __sched_verbs
    switch $argv[1]
        case events
            printf '%s\t%s\n' list 'List events' \
                get 'Show an event' \
                cancel 'Cancel events and notify invitees'
        case invitees
            printf '%s\t%s\n' list 'List invitees of an event' \
                get 'Show an invitee' \
                create 'Book a meeting for an invitee' \
                no-show 'Mark an invitee as no-show' \
                reconcile 'Look up bookings whose outcome is unknown'
        case event-types
            printf '%s\t%s\n' list 'List event types, including shared ones' \
                get 'Show an event type' \
                create 'Create a one-on-one event type' \
                update 'Update an event type' \
                hosts 'List hosts of an event type'
        case availability
            printf '%s\t%s\n' list 'List availability schedules of an event type' \
                update 'Update an availability schedule'
        case shares
            printf '%s\t%s\n' create 'Create a single-use scheduling link'
        case one-offs
            printf '%s\t%s\n' create 'Create a one-off meeting link with one or more hosts'
        case locations
            printf '%s\t%s\n' list 'List meeting locations a host has connected'
        case routing-forms
            printf '%s\t%s\n' list 'List routing forms of the organization' \
                submissions 'List submissions to a routing form'
        case orgs
            printf '%s\t%s\n' get 'Show an organization'
        case members
            printf '%s\t%s\n' list 'List members of the organization' \
                get 'Show a member of the organization'
        case invitations
            printf '%s\t%s\n' list 'List invitations to join the organization'
        case groups
            printf '%s\t%s\n' list 'List groups in the organization' \
                get 'Show a group' \
                relationships 'List group relationships (who is in which group)' \
                relationship 'Show a group relationship' \
                events 'List the scheduled events of a group'
        case users
            printf '%s\t%s\n' me 'Show the user the token belongs to' \
                get 'Show a user'
        case activity
            printf '%s\t%s\n' list 'List activity log entries'
        case compliance
            printf '%s\t%s\n' delete 'Request deletion of invitee data by email address' \
                runs 'List deletion runs, or show one' \
                verify 'Check that a receipt is whole and unchanged' \
                prove 'Say whether an address was in a run, when, and with what answer' \
                key 'Make a key for receipts' \
                bundle 'Gather everything an auditor needs of one run into a folder'
        case auth
            printf '%s\t%s\n' login 'Log in through the browser, or with a personal access token' \
                status 'Show who is logged in, with what, and until when' \
                token 'Print the access token, for scripts' \
                refresh 'Renew the access token now' \
                logout 'Revoke the login and forget it'
        case profiles
            printf '%s\t%s\n' list 'List the profiles of this machine' \
                show 'Show a profile' \
                add 'Add a profile' \
                set 'Change one setting of a profile' \
                use 'Make a profile the default' \
                remove 'Remove a profile and its login' \
                export 'Print the addresses of a profile for a colleague, and no secret'
        case mcp
            printf '%s\t%s\n' metadata 'Show OAuth metadata of the MCP server'
        case sandbox
            printf '%s\t%s\n' start 'Serve the embedded service on this machine until stopped' \
                run 'Serve the embedded service for as long as a command runs' \
                tokens 'List the ready tokens of the sandbox, by role' \
                reset 'Throw the sandbox data away and seed it anew' \
                clock 'Show what time it is in the sandbox, or move its clock' \
                openapi 'Print an OpenAPI 3.1 description of the service, as JSON'
    end
end

function __sched_flags
    switch $argv[1]
        case ''
            printf '%s\t%s\n' --version 'show the version'
        case 'events list'
            printf '%s\t%s\n' --today 'events that start today' \
                --tomorrow 'events that start tomorrow' \
                --week 'today and the six days after it' \
                --upcoming 'events that start from now on' \
                --past 'events that started before now, the latest first' \
                --event-type 'events of this type, by name, ID or URI' \
                --search 'text in name, location, hosts or notes; case and accents do not matter' \
                --user 'only events of this user' \
                --org 'events of the whole organization' \
                --group 'only events of this group' \
                --invitee 'only events with this invitee' \
                --status 'only events with this status' \
                --since 'only events starting at or after this time' \
                --until 'only events starting before this time' \
                --sort 'sort by start_time, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)' \
                --with 'add to each event'
        case 'events get'
            printf '%s\t%s\n' --with 'add to each event'
        case 'events cancel'
            printf '%s\t%s\n' --reason 'reason to send to the invitees' \
                --body 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it' \
                --from 'events from a file, or - for stdin: one a line, CSV, JSON or JSONL' \
                --column 'column of a CSV, by name or number' \
                --field 'field of each JSON object, as a.b' \
                --skip-invalid 'leave out lines that hold no event, and count them' \
                --receipt 'where the receipt is written, and read to go on (default: the state directory)' \
                --again 'do what was done within the last 12 hours once more'
        case 'invitees list'
            printf '%s\t%s\n' --status 'only invitees with this status' \
                --email 'only the invitee with this email address' \
                --sort 'sort by created_at, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'invitees get'
            true
        case 'invitees create'
            printf '%s\t%s\n' --event-type 'event type to book' \
                --start 'start time of the meeting' \
                --email 'email address of the invitee' \
                --name 'full name of the invitee' \
                --first-name 'first name of the invitee' \
                --last-name 'last name of the invitee' \
                --timezone 'IANA time zone of the invitee' \
                --location-kind 'kind of location' \
                --location 'address, phone number or instructions' \
                --utm-campaign 'campaign the booking came from' \
                --utm-source 'site the booking came from' \
                --utm-medium 'medium the booking came from' \
                --utm-content 'link the booking came from' \
                --utm-term 'search terms the booking came from' \
                --crm-uuid 'ID of the customer in a CRM' \
                --answer 'answer to a question of the event type, as \'Question=Answer\'' \
                --body 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it' \
                --if-absent 'look at the service first, and take the booking if it is there: for scripts and CI' \
                --allow-duplicate 'book although the same is booked already, or may be'
        case 'invitees no-show'
            true
        case 'invitees reconcile'
            true
        case 'event-types list'
            printf '%s\t%s\n' --user 'only event types of this user' \
                --org 'event types of the whole organization' \
                --active 'only event types that can be booked' \
                --no-active 'not: only event types that can be booked' \
                --sort 'sort by name, position, created_at, updated_at, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'event-types get'
            true
        case 'event-types create'
            printf '%s\t%s\n' --owner 'user who hosts it (default: your own)' \
                --name 'name of the event type' \
                --duration 'length in minutes' \
                --active 'whether it can be booked' \
                --no-active 'not: whether it can be booked' \
                --event-color 'color as # and six hex digits' \
                --description 'description as plain text' \
                --location-kind 'kind of location' \
                --location 'address, phone number or instructions' \
                --body 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
        case 'event-types update'
            printf '%s\t%s\n' --name 'name of the event type' \
                --duration 'length in minutes' \
                --active 'whether it can be booked' \
                --no-active 'not: whether it can be booked' \
                --event-color 'color as # and six hex digits' \
                --description 'description as plain text' \
                --location-kind 'kind of location' \
                --location 'address, phone number or instructions' \
                --timezone 'IANA time zone' \
                --body 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
        case 'event-types hosts'
            printf '%s\t%s\n' --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'availability list'
            printf '%s\t%s\n' --event-type 'event type the schedules belong to' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'availability update'
            printf '%s\t%s\n' --event-type 'event type the schedules belong to' \
                --rule 'hours of a day, as \'monday 09:00-12:00,13:00-17:00\'' \
                --day-off 'a date or weekday without hours' \
                --remove 'a date or weekday whose rule is taken out' \
                --replace 'send only the rules typed, in place of all others' \
                --timezone 'IANA time zone of the hours'
        case 'shares create'
            printf '%s\t%s\n' --event-type 'event type to book through the link' \
                --name 'name to show instead of the event type\'s' \
                --duration 'length in minutes' \
                --duration-option 'length the invitee can choose, in minutes' \
                --timezone 'IANA time zone of the hours' \
                --period 'how far ahead invitees can book' \
                --max-booking-time 'how many days ahead invitees can book' \
                --rule 'hours in place of the event type\'s, as \'monday 09:00-12:00\'' \
                --location-kind 'kind of location' \
                --location 'address, phone number or instructions' \
                --body 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
        case 'one-offs create'
            printf '%s\t%s\n' --name 'name of the meeting' \
                --host 'user who hosts it (default: your own)' \
                --co-host 'additional host' \
                --duration 'length in minutes' \
                --timezone 'IANA time zone of the dates' \
                --location-kind 'kind of location' \
                --location 'address, phone number or instructions' \
                --days 'bookable for this many days from now' \
                --weekdays-only 'with --days: leave Saturday and Sunday out' \
                --start-date 'first day that can be booked' \
                --end-date 'last day that can be booked' \
                --spot 'a single time that can be booked' \
                --body 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
        case 'locations list'
            printf '%s\t%s\n' --user 'only locations of this user' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'routing-forms list'
            printf '%s\t%s\n' --org 'organization whose forms to list (default: your own)' \
                --sort 'sort by created_at, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'routing-forms submissions'
            printf '%s\t%s\n' --sort 'sort by created_at, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'orgs get'
            true
        case 'members list'
            printf '%s\t%s\n' --org 'organization whose members to list' \
                --user 'only the membership of this user' \
                --role 'only members with this role' \
                --email 'only the member with this email address' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'members get'
            true
        case 'invitations list'
            printf '%s\t%s\n' --org 'organization whose invitations to list (default: your own)' \
                --email 'only invitations to this email address' \
                --status 'only invitations with this status' \
                --sort 'sort by created_at, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'groups list'
            printf '%s\t%s\n' --org 'organization whose groups to list (default: your own)' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'groups get'
            true
        case 'groups relationships'
            printf '%s\t%s\n' --org 'relationships in the whole organization' \
                --owner 'only relationships of this member' \
                --group 'only relationships of this group' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'groups relationship'
            true
        case 'groups events'
            printf '%s\t%s\n' --today 'events that start today' \
                --tomorrow 'events that start tomorrow' \
                --week 'today and the six days after it' \
                --upcoming 'events that start from now on' \
                --past 'events that started before now, the latest first' \
                --event-type 'events of this type, by name, ID or URI' \
                --search 'text in name, location, hosts or notes; case and accents do not matter' \
                --status 'only events with this status' \
                --since 'only events starting at or after this time' \
                --until 'only events starting before this time' \
                --sort 'sort by start_time, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)' \
                --with 'add to each event'
        case 'users me'
            true
        case 'users get'
            true
        case 'activity list'
            printf '%s\t%s\n' --org 'organization whose entries to list (default: your own)' \
                --action 'only entries with this action' \
                --namespace 'only entries in this namespace' \
                --since 'only entries at or after this time' \
                --until 'only entries before this time' \
                --sort 'sort by occurred_at, optionally with :asc or :desc' \
                --limit 'how many results at most' \
                --all 'every result; a terminal shows 50 otherwise' \
                --page-size 'results per request, 1 to 100 (default 100)'
        case 'compliance delete'
            printf '%s\t%s\n' --from 'addresses from a file, or - for stdin: one a line, CSV, JSON or JSONL' \
                --column 'column of a CSV, by name or number' \
                --field 'field of each JSON object, as a.b' \
                --skip-invalid 'leave out lines that hold no address, and count them' \
                --receipt 'where the receipt is written, and read to go on (default: the state directory)' \
                --again 'do what was done within the last 12 hours once more' \
                --allow-empty 'no address at all is no failure' \
                --batch-size 'addresses a request, 1 to 1000 (default 25)' \
                --confirm 'consent to this count of addresses, or to sha256:…, as --dry-run prints them' \
                --max 'refuse more addresses than this; with --yes it consents' \
                --org 'refuse unless the token belongs to this organization' \
                --receipt-key-file 'key of the receipt (default SCHED_RECEIPT_KEY_FILE, else the keychain or the state directory)'
        case 'compliance runs'
            true
        case 'compliance verify'
            printf '%s\t%s\n' --head 'head hash that the run printed at its end, as sha256:…'
        case 'compliance prove'
            printf '%s\t%s\n' --email 'the address, or - to read it from stdin' \
                --receipt-key-file 'key of the receipt (default SCHED_RECEIPT_KEY_FILE, else the keychain or the state directory)'
        case 'compliance key'
            true
        case 'compliance bundle'
            printf '%s\t%s\n' --to 'folder to make (default bundle-RUN)' \
                --receipt-key-file 'key of the receipt (default SCHED_RECEIPT_KEY_FILE, else the keychain or the state directory)'
        case 'auth login'
            printf '%s\t%s\n' --base-url 'address of the API' \
                --auth-url 'address of the authorization server' \
                --mcp-url 'address of the MCP server' \
                --client-id 'identifier of this program at the authorization server' \
                --scopes 'what to ask for, as a,b (default: everything but the dangerous)' \
                --add-scopes 'ask for these beside what the login has' \
                --read-only 'ask for reading alone' \
                --with-token 'read a personal access token from stdin instead' \
                --no-browser 'print the address and open nothing' \
                --paste 'paste the address the browser ends at, where it cannot reach this machine' \
                --port 'port to listen on, where the service wants it exactly' \
                --credential-store 'where the token is kept'
        case 'auth status'
            printf '%s\t%s\n' --check 'ask the service too'
        case 'auth token'
            printf '%s\t%s\n' --min-ttl 'renew first what lives shorter'
        case 'auth refresh'
            true
        case 'auth logout'
            printf '%s\t%s\n' --all 'of all profiles'
        case 'profiles list'
            true
        case 'profiles show'
            true
        case 'profiles add'
            printf '%s\t%s\n' --base-url 'address of the API' \
                --auth-url 'address of the authorization server' \
                --mcp-url 'address of the MCP server' \
                --client-id 'identifier of this program at the authorization server' \
                --issuer 'the authorization server, as it names itself' \
                --user 'user that is meant where none is named' \
                --organization 'organization that is meant where none is named' \
                --from 'take what `profiles export` printed, - for stdin'
        case 'profiles set'
            true
        case 'profiles use'
            true
        case 'profiles remove'
            true
        case 'profiles export'
            true
        case 'mcp metadata'
            true
        case 'api'
            printf '%s\t%s\n' --method 'the same as METHOD in front' \
                --raw-field 'text for the query of a GET, for the JSON body of any other method' \
                --field 'the same, but true, false, null and whole numbers are not text, and @FILE or @- reads the value' \
                --input 'the whole body from a file, or - for stdin; fields then go to the query' \
                --header 'a header of the request, as \'Name: value\'' \
                --paginate 'follow a list to its end and print one array of its items' \
                --limit 'how many results at most; with --paginate' \
                --page-size 'results per request, 1 to 100 (default 100); with --paginate' \
                --include 'print status and headers of the reply before its body' \
                --silent 'print nothing of the body' \
                --output 'format of the answer; without it the reply as it came, as JSON' \
                --if-absent 'look at the service first, and take the booking if it is there: for scripts and CI; with POST /invitees' \
                --allow-duplicate 'book although the same is booked already, or may be; with POST /invitees'
        case 'doctor'
            printf '%s\t%s\n' --network 'ask the service too: is it there, and does the clock agree'
        case 'sandbox start'
            printf '%s\t%s\n' --port 'port on 127.0.0.1, 0 for any free one (default 4010)' \
                --data 'keep the data in this file, or in :memory:, instead of where all sandbox commands keep it' \
                --seed 'what new data holds: demo, empty (people and tokens only) or large:N (N more events); default demo' \
                --fault 'let something go wrong, as \'events.list 503 at=2\' or JSON; all kinds: docs/sandbox.md' \
                --faults 'faults from a file: a JSON array' \
                --plan 'plan of the organization (default enterprise, or what the data says)' \
                --no-limits 'count no requests and refuse none for being too many' \
                --auto-consent 'consent to every login at once: nobody has to click' \
                --refresh-replay-window 'how long a spent refresh token gets the same reply again (default 0s)'
        case 'sandbox run'
            printf '%s\t%s\n' --port 'port on 127.0.0.1 (default 0: any free one)' \
                --data 'keep the data in this file (default :memory:, a fresh world each time)' \
                --seed 'what new data holds: demo, empty (people and tokens only) or large:N (N more events); default demo' \
                --fault 'let something go wrong, as \'events.list 503 at=2\' or JSON; all kinds: docs/sandbox.md' \
                --faults 'faults from a file: a JSON array' \
                --plan 'plan of the organization (default enterprise, or what the data says)' \
                --no-limits 'count no requests and refuse none for being too many' \
                --auto-consent 'consent to every login at once: nobody has to click' \
                --refresh-replay-window 'how long a spent refresh token gets the same reply again (default 0s)'
        case 'sandbox tokens'
            true
        case 'sandbox reset'
            printf '%s\t%s\n' --data 'keep the data in this file, or in :memory:, instead of where all sandbox commands keep it' \
                --seed 'what new data holds: demo, empty (people and tokens only) or large:N (N more events); default demo'
        case 'sandbox clock'
            printf '%s\t%s\n' --data 'keep the data in this file, or in :memory:, instead of where all sandbox commands keep it'
        case 'sandbox openapi'
            true
        case 'ratelimit'
            true
        case 'completion'
            true
        case 'man'
            true
    end
    printf '%s\t%s\n' --output 'format of the answer (default table on a terminal, tsv in a pipe)' \
                --json 'short for -o json; --json=a,b.c chooses fields' \
                --fields 'choose fields, as a,b.c' \
                --jq 'run jq over the answer; over each record with -o jsonl' \
                --header 'begin tsv with a line of column names' \
                --raw 'leave csv cells as they are, also those a spreadsheet would run' \
                --tz 'zone in which times are read and shown' \
                --color 'when to use colour (default auto)' \
                --accessible 'plain "Label: value" lines instead of tables' \
                --quiet 'say less on stderr' \
                --verbose 'trace requests on stderr, without secrets' \
                --dry-run 'print the request and send no write' \
                --curl 'print the request as a curl line and do not send it' \
                --yes 'consent to what would be asked' \
                --no-input 'never ask' \
                --profile 'which account' \
                --sandbox 'use the embedded service: no account, no network' \
                --max-wait 'longest single wait for the rate limit (default 90s)' \
                --allow-refresh 'renew a stored session in CI too, where the new one may be lost' \
                --no-wait 'fail at once when the rate limit is reached' \
                --timeout 'limit per request (default 30s)' \
                --help 'show help'
end

function __sched_takers
    printf '%s\n' --output -o --fields --jq --tz --color --profile -p --max-wait --timeout
    switch $argv[1]
        case 'events list'
            printf '%s\n' --event-type --search --user --org --group --invitee --status --since --until --sort --limit --page-size --with
        case 'events get'
            printf '%s\n' --with
        case 'events cancel'
            printf '%s\n' --reason --body --from --column --field --receipt
        case 'invitees list'
            printf '%s\n' --status --email --sort --limit --page-size
        case 'invitees create'
            printf '%s\n' --event-type --start --email --name --first-name --last-name --timezone --location-kind --location --utm-campaign --utm-source --utm-medium --utm-content --utm-term --crm-uuid --answer --body
        case 'event-types list'
            printf '%s\n' --user --org --sort --limit --page-size
        case 'event-types create'
            printf '%s\n' --owner --name --duration --event-color --description --location-kind --location --body
        case 'event-types update'
            printf '%s\n' --name --duration --event-color --description --location-kind --location --timezone --body
        case 'event-types hosts'
            printf '%s\n' --limit --page-size
        case 'availability list'
            printf '%s\n' --event-type --limit --page-size
        case 'availability update'
            printf '%s\n' --event-type --rule --day-off --remove --timezone
        case 'shares create'
            printf '%s\n' --event-type --name --duration --duration-option --timezone --period --max-booking-time --rule --location-kind --location --body
        case 'one-offs create'
            printf '%s\n' --name --host --co-host --duration --timezone --location-kind --location --days --start-date --end-date --spot --body
        case 'locations list'
            printf '%s\n' --user --limit --page-size
        case 'routing-forms list'
            printf '%s\n' --org --sort --limit --page-size
        case 'routing-forms submissions'
            printf '%s\n' --sort --limit --page-size
        case 'members list'
            printf '%s\n' --org --user --role --email --limit --page-size
        case 'invitations list'
            printf '%s\n' --org --email --status --sort --limit --page-size
        case 'groups list'
            printf '%s\n' --org --limit --page-size
        case 'groups relationships'
            printf '%s\n' --org --owner --group --limit --page-size
        case 'groups events'
            printf '%s\n' --event-type --search --status --since --until --sort --limit --page-size --with
        case 'activity list'
            printf '%s\n' --org --action --namespace --since --until --sort --limit --page-size
        case 'compliance delete'
            printf '%s\n' --from --column --field --receipt --batch-size --confirm --max --org --receipt-key-file
        case 'compliance verify'
            printf '%s\n' --head
        case 'compliance prove'
            printf '%s\n' --email --receipt-key-file
        case 'compliance bundle'
            printf '%s\n' --to --receipt-key-file
        case 'auth login'
            printf '%s\n' --base-url --auth-url --mcp-url --client-id --scopes --add-scopes --port --credential-store
        case 'auth token'
            printf '%s\n' --min-ttl
        case 'profiles add'
            printf '%s\n' --base-url --auth-url --mcp-url --client-id --issuer --user --organization --from
        case 'api'
            printf '%s\n' --method -X --raw-field -f --field -F --input --header -H --limit --page-size --output -o
        case 'sandbox start'
            printf '%s\n' --port --data --seed --fault --faults --plan --refresh-replay-window
        case 'sandbox run'
            printf '%s\n' --port --data --seed --fault --faults --plan --refresh-replay-window
        case 'sandbox reset'
            printf '%s\n' --data --seed
        case 'sandbox clock'
            printf '%s\n' --data
    end
end

function __sched_fields
    switch $argv[1]
        case 'events list' 'events get' 'groups events'
            printf '%s\n' uri name meeting_notes_plain meeting_notes_html status start_time end_time event_type location location.type location.location location.join_url location.status invitees_counter invitees_counter.total invitees_counter.active invitees_counter.limit created_at updated_at event_memberships event_memberships.user event_memberships.user_email event_memberships.user_name _sched
        case 'events cancel'
            printf '%s\n' uri name meeting_notes_plain meeting_notes_html status start_time end_time event_type location location.type location.location location.join_url location.status invitees_counter invitees_counter.total invitees_counter.active invitees_counter.limit created_at updated_at event_memberships event_memberships.user event_memberships.user_email event_memberships.user_name run total accepted rejected unknown skipped receipt head
        case 'invitees list' 'invitees get' 'invitees create' 'invitees no-show'
            printf '%s\n' uri email first_name last_name name status timezone event created_at updated_at tracking tracking.utm_campaign tracking.utm_source tracking.utm_medium tracking.utm_content tracking.utm_term tracking.crm_uuid text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url payment payment.external_id payment.provider payment.amount payment.currency payment.terms payment.successful no_show no_show.uri no_show.created_at reconfirmation scheduling_method invitee_scheduled_by
        case 'invitees reconcile'
            printf '%s\n' verdict event_type start_time sent_at decidable_at uri event reason
        case 'event-types list' 'event-types get' 'event-types create' 'event-types update' 'one-offs create'
            printf '%s\n' uri name active slug scheduling_url duration kind pooling_type type color created_at updated_at internal_note description_plain description_html profile profile.type profile.name profile.owner secret booking_method custom_questions custom_questions.name custom_questions.type custom_questions.position custom_questions.enabled custom_questions.required custom_questions.answer_choices custom_questions.include_other deleted_at admin_managed locale
        case 'event-types hosts'
            printf '%s\n' uri event_type member member.uri member.name member.slug member.email member.scheduling_url member.timezone member.avatar_url member.created_at member.updated_at member.current_organization member.locale member.resource_type created_at updated_at
        case 'availability list' 'availability update'
            printf '%s\n' uri default name user timezone rules rules.type rules.wday rules.intervals rules.date
        case 'shares create'
            printf '%s\n' scheduling_links scheduling_links.booking_url scheduling_links.owner scheduling_links.owner_type share_override
        case 'locations list'
            printf '%s\n' kind connected
        case 'routing-forms list'
            printf '%s\n' uri organization name status questions questions.uuid questions.name questions.type questions.required questions.answer_choices created_at updated_at
        case 'routing-forms submissions'
            printf '%s\n' uri routing_form questions_and_answers questions_and_answers.question_uuid questions_and_answers.question questions_and_answers.answer tracking result result.type result.value submitter submitter_type created_at updated_at
        case 'orgs get'
            printf '%s\n' uri name kind plan stage created_at updated_at
        case 'members list' 'members get'
            printf '%s\n' uri role user user.uri user.name user.slug user.email user.scheduling_url user.timezone user.avatar_url user.created_at user.updated_at user.current_organization user.locale user.resource_type organization created_at updated_at
        case 'invitations list'
            printf '%s\n' uri organization email status last_sent_at user name kind plan stage created_at updated_at
        case 'groups list' 'groups get'
            printf '%s\n' uri name organization created_at updated_at
        case 'groups relationships' 'groups relationship'
            printf '%s\n' uri role owner owner.type owner.uri organization group created_at updated_at
        case 'users me' 'users get'
            printf '%s\n' uri name slug email scheduling_url timezone avatar_url created_at updated_at current_organization locale resource_type
        case 'activity list'
            printf '%s\n' uri organization action fully_qualified_name namespace actor actor.uri actor.type actor.display_name actor.alternative_identifier details occurred_at
        case 'compliance delete'
            printf '%s\n' run total accepted rejected unknown skipped receipt head addresses duplicates invalid_lines batches estimated_s digest comments header_lines blank_lines
        case 'compliance runs'
            printf '%s\n' run started_at ended_at status total accepted rejected unknown skipped organization owner endpoint tool sandbox finding receipt head
        case 'compliance verify'
            printf '%s\n' status finding line run started_at ended_at total accepted rejected unknown skipped organization owner endpoint tool sandbox receipt head
        case 'compliance prove'
            printf '%s\n' found verdict at http_status batch mark run receipt_status sandbox receipt
        case 'compliance key'
            printf '%s\n' file key
        case 'compliance bundle'
            printf '%s\n' folder run status head activity_entries receipt
        case 'auth login' 'auth status' 'auth refresh'
            printf '%s\n' profile base_url source kind user user_name organization scopes expires_at usable
        case 'profiles list' 'profiles show' 'profiles add'
            printf '%s\n' name current base_url auth_url mcp_url client_id issuer user organization timezone output uri_root login
        case 'mcp metadata'
            printf '%s\n' resource authorization_servers scopes_supported bearer_methods_supported
        case 'doctor'
            printf '%s\n' check status finding fix
        case 'sandbox start'
            printf '%s\n' base_url auth_url mcp_url client_id token tokens plan data admin_token
        case 'sandbox tokens'
            printf '%s\n' name token user role kind scopes refresh_token
        case 'sandbox clock'
            printf '%s\n' time offset_seconds data
        case 'ratelimit'
            printf '%s\n' window limit remaining reset_at reset_s waiting
    end
end

# Prints what kind of value stands there ('words', 'fields', 'files', 'profiles'), then the words.
function __sched_value
    switch $argv[1]
        case 'events list --status' 'invitees list --status' 'groups events --status'
            printf '%s\n' words active canceled
        case 'events list --sort' 'groups events --sort'
            printf '%s\n' words start_time:asc start_time:desc
        case 'events list --with' 'events get --with' 'groups events --with'
            printf '%s\n' words invitees
        case 'events cancel --body' 'invitees create --body' 'event-types create --body' 'event-types update --body' 'shares create --body' 'one-offs create --body'
            echo files
        case 'events cancel --from' 'compliance delete --from' 'profiles add --from'
            echo files
        case 'events cancel --receipt' 'compliance delete --receipt'
            echo files
        case 'invitees list --sort' 'routing-forms list --sort' 'routing-forms submissions --sort' 'invitations list --sort'
            printf '%s\n' words created_at:asc created_at:desc
        case 'invitees create --location-kind' 'event-types create --location-kind' 'event-types update --location-kind' 'shares create --location-kind' 'one-offs create --location-kind'
            printf '%s\n' words physical custom ask_invitee inbound_call outbound_call google_conference zoom_conference microsoft_teams_conference webex_conference gotomeeting_conference
        case 'event-types list --sort'
            printf '%s\n' words name:asc name:desc position:asc position:desc created_at:asc created_at:desc updated_at:asc updated_at:desc
        case 'shares create --period'
            printf '%s\n' words available_moving moving fixed unlimited
        case 'members list --role'
            printf '%s\n' words owner admin user
        case 'invitations list --status'
            printf '%s\n' words pending accepted declined
        case 'activity list --sort'
            printf '%s\n' words occurred_at:asc occurred_at:desc
        case 'compliance delete --receipt-key-file' 'compliance prove --receipt-key-file' 'compliance bundle --receipt-key-file'
            echo files
        case 'compliance runs 1' 'compliance verify 1' 'compliance prove 1' 'compliance key 1' 'compliance bundle 1'
            echo files
        case 'auth login --credential-store'
            printf '%s\n' words keychain file
        case 'profiles show 1' 'profiles use 1' 'profiles remove 1' 'profiles export 1'
            echo profiles
        case 'profiles set 1'
            printf '%s\n' words base_url auth_url mcp_url client_id issuer user organization timezone output uri_root
        case 'api --input'
            echo files
        case 'api --output' 'api -o'
            printf '%s\n' words table json jsonl csv tsv yaml id
        case 'api 1'
            printf '%s\n' words GET POST PATCH PUT DELETE
        case 'sandbox start --data' 'sandbox run --data' 'sandbox reset --data' 'sandbox clock --data'
            echo files
        case 'sandbox start --faults' 'sandbox run --faults'
            echo files
        case 'sandbox start --plan' 'sandbox run --plan'
            printf '%s\n' words trial free standard enterprise
        case 'sandbox clock 1'
            printf '%s\n' words set advance
        case 'completion 1'
            printf '%s\n' words bash zsh fish powershell
        case 'man 1'
            printf '%s\n' words events invitees event-types availability shares one-offs locations routing-forms orgs members invitations groups users activity compliance mcp auth profiles api doctor sandbox ratelimit completion man flags formatting time environment exit-codes ci
        case '* --output' '* -o'
            printf '%s\n' words table json jsonl csv tsv yaml id
        case '* --json'
            echo fields
        case '* --fields'
            echo fields
        case '* --color'
            printf '%s\n' words auto always never
        case '* --profile' '* -p'
            echo profiles
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
                    contains -- $word (__sched_verbs $noun | string replace -r '\t.*' '')
                    or return
                    set command "$noun $word"
                else if test "$word" != help
                    set noun (__sched_noun $word)
                    test -n "$noun"
                    or return
                    count (__sched_verbs $noun) >/dev/null
                    or set command $noun
                end
        end
    end
    if test -n "$taker"
        printf '%s\n' "$noun" "$command" $taker
    else if test -z "$noun"
        printf '%s\n' '' '' noun
    else if test -z "$command"
        printf '%s\n' $noun '' verb
    else
        printf '%s\n' $noun $command $position
    end
end

# Prints the key for __sched_value of the word at the cursor, what stands before its value, and its value so far.
function __sched_key
    set -l place $argv
    set -l token (commandline -ct)
    if not string match -q -- '-*' $place[3]; and string match -q -- '--*=*' $token
        set -l parts (string split -m 1 = -- $token)
        printf '%s\n' "$place[2] $parts[1]" "$parts[1]=" "$parts[2]"
    else if string match -q -- '-*' $place[3]; or not string match -q -- '-*' $token
        printf '%s\n' "$place[2] $place[3]" '' "$token"
    else
        printf '%s\n' '' '' "$token"
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
            printf '%s\n' $key[2]$value[2..-1]
            return
        case profiles
            command -sq sched
            or return
            for name in (command sched profiles list -o id 2>/dev/null </dev/null)
                printf '%s\n' "$key[2]$name"
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
