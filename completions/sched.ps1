# PowerShell completion for sched, made by 'npm run generate'.
# All words stand in this file, but for the names of profiles: only for those is sched itself started. Completing asks
# no server and expands nothing of the line.

Register-ArgumentCompleter -Native -CommandName sched -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $nouns = [ordered]@{
        'events' = 'List, show and cancel events'
        'invitees' = 'Book meetings, list invitees and mark no-shows'
        'event-types' = 'Manage event types and list their hosts'
        'availability' = 'List and update availability schedules'
        'shares' = 'Create single-use scheduling links'
        'one-offs' = 'Create one-off meeting links'
        'locations' = 'List meeting locations a host has connected'
        'routing-forms' = 'List routing forms and their submissions'
        'orgs' = 'Show your organization'
        'members' = 'List members of the organization and their roles'
        'invitations' = 'List invitations to join the organization'
        'groups' = 'List groups, their members and their events'
        'users' = 'Show yourself or another user'
        'activity' = 'Read the activity log (Enterprise plan)'
        'compliance' = 'Delete invitee data and check receipts (Enterprise plan)'
        'auth' = 'Log in and out, and see who is logged in'
        'profiles' = 'Several accounts side by side'
        'mcp' = 'Show metadata of the MCP server'
        'api' = 'Send any request under the base URL and print the reply as it is'
        'doctor' = 'Look at everything a command rests on, and say how to fix it'
        'sandbox' = 'The embedded service: serve it, seed it anew'
        'ratelimit' = 'What is left of the rate limit, and who waits for it'
        'completion' = 'Print the completion script of a shell'
        'man' = 'Show the manual page of a command or topic'
        'help' = 'Help for a command'
    }
    $nounOf = @{
        'events' = 'events'
        'event' = 'events'
        'invitees' = 'invitees'
        'invitee' = 'invitees'
        'event-types' = 'event-types'
        'event-type' = 'event-types'
        'availability' = 'availability'
        'shares' = 'shares'
        'share' = 'shares'
        'one-offs' = 'one-offs'
        'one-off' = 'one-offs'
        'locations' = 'locations'
        'location' = 'locations'
        'routing-forms' = 'routing-forms'
        'routing-form' = 'routing-forms'
        'orgs' = 'orgs'
        'org' = 'orgs'
        'members' = 'members'
        'member' = 'members'
        'invitations' = 'invitations'
        'invitation' = 'invitations'
        'groups' = 'groups'
        'group' = 'groups'
        'users' = 'users'
        'user' = 'users'
        'activity' = 'activity'
        'compliance' = 'compliance'
        'auth' = 'auth'
        'profiles' = 'profiles'
        'profile' = 'profiles'
        'mcp' = 'mcp'
        'api' = 'api'
        'doctor' = 'doctor'
        'sandbox' = 'sandbox'
        'ratelimit' = 'ratelimit'
        'completion' = 'completion'
        'man' = 'man'
    }
    $verbsOf = @{
        'events' = [ordered]@{
            'list' = 'List events'
            'get' = 'Show an event'
            'cancel' = 'Cancel events and notify invitees'
        }
        'invitees' = [ordered]@{
            'list' = 'List invitees of an event'
            'get' = 'Show an invitee'
            'create' = 'Book a meeting for an invitee'
            'no-show' = 'Mark an invitee as no-show'
            'reconcile' = 'Look up bookings whose outcome is unknown'
        }
        'event-types' = [ordered]@{
            'list' = 'List event types, including shared ones'
            'get' = 'Show an event type'
            'create' = 'Create a one-on-one event type'
            'update' = 'Update an event type'
            'hosts' = 'List hosts of an event type'
        }
        'availability' = [ordered]@{
            'list' = 'List availability schedules of an event type'
            'update' = 'Update an availability schedule'
        }
        'shares' = [ordered]@{
            'create' = 'Create a single-use scheduling link'
        }
        'one-offs' = [ordered]@{
            'create' = 'Create a one-off meeting link with one or more hosts'
        }
        'locations' = [ordered]@{
            'list' = 'List meeting locations a host has connected'
        }
        'routing-forms' = [ordered]@{
            'list' = 'List routing forms of the organization'
            'submissions' = 'List submissions to a routing form'
        }
        'orgs' = [ordered]@{
            'get' = 'Show an organization'
        }
        'members' = [ordered]@{
            'list' = 'List members of the organization'
            'get' = 'Show a member of the organization'
        }
        'invitations' = [ordered]@{
            'list' = 'List invitations to join the organization'
        }
        'groups' = [ordered]@{
            'list' = 'List groups in the organization'
            'get' = 'Show a group'
            'relationships' = 'List group relationships (who is in which group)'
            'relationship' = 'Show a group relationship'
            'events' = 'List the scheduled events of a group'
        }
        'users' = [ordered]@{
            'me' = 'Show the user the token belongs to'
            'get' = 'Show a user'
        }
        'activity' = [ordered]@{
            'list' = 'List activity log entries'
        }
        'compliance' = [ordered]@{
            'delete' = 'Request deletion of invitee data by email address'
            'runs' = 'List deletion runs, or show one'
            'verify' = 'Check that a receipt is whole and unchanged'
            'prove' = 'Say whether an address was in a run, when, and with what answer'
            'key' = 'Make a key for receipts'
            'bundle' = 'Gather everything an auditor needs of one run into a folder'
        }
        'auth' = [ordered]@{
            'login' = 'Log in through the browser, or with a personal access token'
            'status' = 'Show who is logged in, with what, and until when'
            'token' = 'Print the access token, for scripts'
            'refresh' = 'Renew the access token now'
            'logout' = 'Revoke the login and forget it'
        }
        'profiles' = [ordered]@{
            'list' = 'List the profiles of this machine'
            'show' = 'Show a profile'
            'add' = 'Add a profile'
            'set' = 'Change one setting of a profile'
            'use' = 'Make a profile the default'
            'remove' = 'Remove a profile and its login'
            'export' = 'Print the addresses of a profile for a colleague, and no secret'
        }
        'mcp' = [ordered]@{
            'metadata' = 'Show OAuth metadata of the MCP server'
        }
        'sandbox' = [ordered]@{
            'start' = 'Serve the embedded service on this machine until stopped'
            'run' = 'Serve the embedded service for as long as a command runs'
            'tokens' = 'List the ready tokens of the sandbox, by role'
            'reset' = 'Throw the sandbox data away and seed it anew'
            'clock' = 'Show what time it is in the sandbox, or move its clock'
            'openapi' = 'Print an OpenAPI 3.1 description of the service, as JSON'
        }
    }
    $rootFlags = [ordered]@{
        '--version' = 'show the version'
    }
    $sharedFlags = [ordered]@{
        '--output' = 'format of the answer (default table on a terminal, tsv in a pipe)'
        '--json' = 'short for -o json; --json=a,b.c chooses fields'
        '--fields' = 'choose fields, as a,b.c'
        '--jq' = 'run jq over the answer; over each record with -o jsonl'
        '--header' = 'begin tsv with a line of column names'
        '--raw' = 'leave csv cells as they are, also those a spreadsheet would run'
        '--tz' = 'zone in which times are read and shown'
        '--color' = 'when to use colour (default auto)'
        '--accessible' = 'plain "Label: value" lines instead of tables'
        '--quiet' = 'say less on stderr'
        '--verbose' = 'trace requests on stderr, without secrets'
        '--dry-run' = 'print the request and send no write'
        '--curl' = 'print the request as a curl line and do not send it'
        '--yes' = 'consent to what would be asked'
        '--no-input' = 'never ask'
        '--profile' = 'which account'
        '--sandbox' = 'use the embedded service: no account, no network'
        '--max-wait' = 'longest single wait for the rate limit (default 90s)'
        '--allow-refresh' = 'renew a stored session in CI too, where the new one may be lost'
        '--no-wait' = 'fail at once when the rate limit is reached'
        '--timeout' = 'limit per request (default 30s)'
        '--help' = 'show help'
    }
    $sharedTakers = @('--output', '-o', '--fields', '--jq', '--tz', '--color', '--profile', '-p', '--max-wait', '--timeout')
    $commands = @{
        'events list' = @{
            takers = @('--event-type', '--search', '--user', '--org', '--group', '--invitee', '--status', '--since', '--until', '--sort', '--limit', '--page-size', '--with')
            fields = @('uri', 'name', 'meeting_notes_plain', 'meeting_notes_html', 'status', 'start_time', 'end_time', 'event_type', 'location', 'location.type', 'location.location', 'location.join_url', 'location.status', 'invitees_counter', 'invitees_counter.total', 'invitees_counter.active', 'invitees_counter.limit', 'created_at', 'updated_at', 'event_memberships', 'event_memberships.user', 'event_memberships.user_email', 'event_memberships.user_name', '_sched')
            flags = [ordered]@{
                '--today' = 'events that start today'
                '--tomorrow' = 'events that start tomorrow'
                '--week' = 'today and the six days after it'
                '--upcoming' = 'events that start from now on'
                '--past' = 'events that started before now, the latest first'
                '--event-type' = 'events of this type, by name, ID or URI'
                '--search' = 'text in name, location, hosts or notes; case and accents do not matter'
                '--user' = 'only events of this user'
                '--org' = 'events of the whole organization'
                '--group' = 'only events of this group'
                '--invitee' = 'only events with this invitee'
                '--status' = 'only events with this status'
                '--since' = 'only events starting at or after this time'
                '--until' = 'only events starting before this time'
                '--sort' = 'sort by start_time, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
                '--with' = 'add to each event'
            }
        }
        'events get' = @{
            takers = @('--with')
            fields = @('uri', 'name', 'meeting_notes_plain', 'meeting_notes_html', 'status', 'start_time', 'end_time', 'event_type', 'location', 'location.type', 'location.location', 'location.join_url', 'location.status', 'invitees_counter', 'invitees_counter.total', 'invitees_counter.active', 'invitees_counter.limit', 'created_at', 'updated_at', 'event_memberships', 'event_memberships.user', 'event_memberships.user_email', 'event_memberships.user_name', '_sched')
            flags = [ordered]@{
                '--with' = 'add to each event'
            }
        }
        'events cancel' = @{
            takers = @('--reason', '--body', '--from', '--column', '--field', '--receipt')
            fields = @('uri', 'name', 'meeting_notes_plain', 'meeting_notes_html', 'status', 'start_time', 'end_time', 'event_type', 'location', 'location.type', 'location.location', 'location.join_url', 'location.status', 'invitees_counter', 'invitees_counter.total', 'invitees_counter.active', 'invitees_counter.limit', 'created_at', 'updated_at', 'event_memberships', 'event_memberships.user', 'event_memberships.user_email', 'event_memberships.user_name', 'run', 'total', 'accepted', 'rejected', 'unknown', 'skipped', 'receipt', 'head')
            flags = [ordered]@{
                '--reason' = 'reason to send to the invitees'
                '--body' = 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
                '--from' = 'events from a file, or - for stdin: one a line, CSV, JSON or JSONL'
                '--column' = 'column of a CSV, by name or number'
                '--field' = 'field of each JSON object, as a.b'
                '--skip-invalid' = 'leave out lines that hold no event, and count them'
                '--receipt' = 'where the receipt is written, and read to go on (default: the state directory)'
                '--again' = 'do what was done within the last 12 hours once more'
            }
        }
        'invitees list' = @{
            takers = @('--status', '--email', '--sort', '--limit', '--page-size')
            fields = @('uri', 'email', 'first_name', 'last_name', 'name', 'status', 'timezone', 'event', 'created_at', 'updated_at', 'tracking', 'tracking.utm_campaign', 'tracking.utm_source', 'tracking.utm_medium', 'tracking.utm_content', 'tracking.utm_term', 'tracking.crm_uuid', 'text_reminder_number', 'rescheduled', 'old_invitee', 'new_invitee', 'cancel_url', 'reschedule_url', 'payment', 'payment.external_id', 'payment.provider', 'payment.amount', 'payment.currency', 'payment.terms', 'payment.successful', 'no_show', 'no_show.uri', 'no_show.created_at', 'reconfirmation', 'scheduling_method', 'invitee_scheduled_by')
            flags = [ordered]@{
                '--status' = 'only invitees with this status'
                '--email' = 'only the invitee with this email address'
                '--sort' = 'sort by created_at, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'invitees get' = @{
            takers = @()
            fields = @('uri', 'email', 'first_name', 'last_name', 'name', 'status', 'timezone', 'event', 'created_at', 'updated_at', 'tracking', 'tracking.utm_campaign', 'tracking.utm_source', 'tracking.utm_medium', 'tracking.utm_content', 'tracking.utm_term', 'tracking.crm_uuid', 'text_reminder_number', 'rescheduled', 'old_invitee', 'new_invitee', 'cancel_url', 'reschedule_url', 'payment', 'payment.external_id', 'payment.provider', 'payment.amount', 'payment.currency', 'payment.terms', 'payment.successful', 'no_show', 'no_show.uri', 'no_show.created_at', 'reconfirmation', 'scheduling_method', 'invitee_scheduled_by')
            flags = [ordered]@{}
        }
        'invitees create' = @{
            takers = @('--event-type', '--start', '--email', '--name', '--first-name', '--last-name', '--timezone', '--location-kind', '--location', '--utm-campaign', '--utm-source', '--utm-medium', '--utm-content', '--utm-term', '--crm-uuid', '--answer', '--body')
            fields = @('uri', 'email', 'first_name', 'last_name', 'name', 'status', 'timezone', 'event', 'created_at', 'updated_at', 'tracking', 'tracking.utm_campaign', 'tracking.utm_source', 'tracking.utm_medium', 'tracking.utm_content', 'tracking.utm_term', 'tracking.crm_uuid', 'text_reminder_number', 'rescheduled', 'old_invitee', 'new_invitee', 'cancel_url', 'reschedule_url', 'payment', 'payment.external_id', 'payment.provider', 'payment.amount', 'payment.currency', 'payment.terms', 'payment.successful', 'no_show', 'no_show.uri', 'no_show.created_at', 'reconfirmation', 'scheduling_method', 'invitee_scheduled_by')
            flags = [ordered]@{
                '--event-type' = 'event type to book'
                '--start' = 'start time of the meeting'
                '--email' = 'email address of the invitee'
                '--name' = 'full name of the invitee'
                '--first-name' = 'first name of the invitee'
                '--last-name' = 'last name of the invitee'
                '--timezone' = 'IANA time zone of the invitee'
                '--location-kind' = 'kind of location'
                '--location' = 'address, phone number or instructions'
                '--utm-campaign' = 'campaign the booking came from'
                '--utm-source' = 'site the booking came from'
                '--utm-medium' = 'medium the booking came from'
                '--utm-content' = 'link the booking came from'
                '--utm-term' = 'search terms the booking came from'
                '--crm-uuid' = 'ID of the customer in a CRM'
                '--answer' = 'answer to a question of the event type, as ''Question=Answer'''
                '--body' = 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
                '--if-absent' = 'look at the service first, and take the booking if it is there: for scripts and CI'
                '--allow-duplicate' = 'book although the same is booked already, or may be'
            }
        }
        'invitees no-show' = @{
            takers = @()
            fields = @('uri', 'email', 'first_name', 'last_name', 'name', 'status', 'timezone', 'event', 'created_at', 'updated_at', 'tracking', 'tracking.utm_campaign', 'tracking.utm_source', 'tracking.utm_medium', 'tracking.utm_content', 'tracking.utm_term', 'tracking.crm_uuid', 'text_reminder_number', 'rescheduled', 'old_invitee', 'new_invitee', 'cancel_url', 'reschedule_url', 'payment', 'payment.external_id', 'payment.provider', 'payment.amount', 'payment.currency', 'payment.terms', 'payment.successful', 'no_show', 'no_show.uri', 'no_show.created_at', 'reconfirmation', 'scheduling_method', 'invitee_scheduled_by')
            flags = [ordered]@{}
        }
        'invitees reconcile' = @{
            takers = @()
            fields = @('verdict', 'event_type', 'start_time', 'sent_at', 'decidable_at', 'uri', 'event', 'reason')
            flags = [ordered]@{}
        }
        'event-types list' = @{
            takers = @('--user', '--org', '--sort', '--limit', '--page-size')
            fields = @('uri', 'name', 'active', 'slug', 'scheduling_url', 'duration', 'kind', 'pooling_type', 'type', 'color', 'created_at', 'updated_at', 'internal_note', 'description_plain', 'description_html', 'profile', 'profile.type', 'profile.name', 'profile.owner', 'secret', 'booking_method', 'custom_questions', 'custom_questions.name', 'custom_questions.type', 'custom_questions.position', 'custom_questions.enabled', 'custom_questions.required', 'custom_questions.answer_choices', 'custom_questions.include_other', 'deleted_at', 'admin_managed', 'locale')
            flags = [ordered]@{
                '--user' = 'only event types of this user'
                '--org' = 'event types of the whole organization'
                '--active' = 'only event types that can be booked'
                '--no-active' = 'not: only event types that can be booked'
                '--sort' = 'sort by name, position, created_at, updated_at, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'event-types get' = @{
            takers = @()
            fields = @('uri', 'name', 'active', 'slug', 'scheduling_url', 'duration', 'kind', 'pooling_type', 'type', 'color', 'created_at', 'updated_at', 'internal_note', 'description_plain', 'description_html', 'profile', 'profile.type', 'profile.name', 'profile.owner', 'secret', 'booking_method', 'custom_questions', 'custom_questions.name', 'custom_questions.type', 'custom_questions.position', 'custom_questions.enabled', 'custom_questions.required', 'custom_questions.answer_choices', 'custom_questions.include_other', 'deleted_at', 'admin_managed', 'locale')
            flags = [ordered]@{}
        }
        'event-types create' = @{
            takers = @('--owner', '--name', '--duration', '--event-color', '--description', '--location-kind', '--location', '--body')
            fields = @('uri', 'name', 'active', 'slug', 'scheduling_url', 'duration', 'kind', 'pooling_type', 'type', 'color', 'created_at', 'updated_at', 'internal_note', 'description_plain', 'description_html', 'profile', 'profile.type', 'profile.name', 'profile.owner', 'secret', 'booking_method', 'custom_questions', 'custom_questions.name', 'custom_questions.type', 'custom_questions.position', 'custom_questions.enabled', 'custom_questions.required', 'custom_questions.answer_choices', 'custom_questions.include_other', 'deleted_at', 'admin_managed', 'locale')
            flags = [ordered]@{
                '--owner' = 'user who hosts it (default: your own)'
                '--name' = 'name of the event type'
                '--duration' = 'length in minutes'
                '--active' = 'whether it can be booked'
                '--no-active' = 'not: whether it can be booked'
                '--event-color' = 'color as # and six hex digits'
                '--description' = 'description as plain text'
                '--location-kind' = 'kind of location'
                '--location' = 'address, phone number or instructions'
                '--body' = 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
            }
        }
        'event-types update' = @{
            takers = @('--name', '--duration', '--event-color', '--description', '--location-kind', '--location', '--timezone', '--body')
            fields = @('uri', 'name', 'active', 'slug', 'scheduling_url', 'duration', 'kind', 'pooling_type', 'type', 'color', 'created_at', 'updated_at', 'internal_note', 'description_plain', 'description_html', 'profile', 'profile.type', 'profile.name', 'profile.owner', 'secret', 'booking_method', 'custom_questions', 'custom_questions.name', 'custom_questions.type', 'custom_questions.position', 'custom_questions.enabled', 'custom_questions.required', 'custom_questions.answer_choices', 'custom_questions.include_other', 'deleted_at', 'admin_managed', 'locale')
            flags = [ordered]@{
                '--name' = 'name of the event type'
                '--duration' = 'length in minutes'
                '--active' = 'whether it can be booked'
                '--no-active' = 'not: whether it can be booked'
                '--event-color' = 'color as # and six hex digits'
                '--description' = 'description as plain text'
                '--location-kind' = 'kind of location'
                '--location' = 'address, phone number or instructions'
                '--timezone' = 'IANA time zone'
                '--body' = 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
            }
        }
        'event-types hosts' = @{
            takers = @('--limit', '--page-size')
            fields = @('uri', 'event_type', 'member', 'member.uri', 'member.name', 'member.slug', 'member.email', 'member.scheduling_url', 'member.timezone', 'member.avatar_url', 'member.created_at', 'member.updated_at', 'member.current_organization', 'member.locale', 'member.resource_type', 'created_at', 'updated_at')
            flags = [ordered]@{
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'availability list' = @{
            takers = @('--event-type', '--limit', '--page-size')
            fields = @('uri', 'default', 'name', 'user', 'timezone', 'rules', 'rules.type', 'rules.wday', 'rules.intervals', 'rules.date')
            flags = [ordered]@{
                '--event-type' = 'event type the schedules belong to'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'availability update' = @{
            takers = @('--event-type', '--rule', '--day-off', '--remove', '--timezone')
            fields = @('uri', 'default', 'name', 'user', 'timezone', 'rules', 'rules.type', 'rules.wday', 'rules.intervals', 'rules.date')
            flags = [ordered]@{
                '--event-type' = 'event type the schedules belong to'
                '--rule' = 'hours of a day, as ''monday 09:00-12:00,13:00-17:00'''
                '--day-off' = 'a date or weekday without hours'
                '--remove' = 'a date or weekday whose rule is taken out'
                '--replace' = 'send only the rules typed, in place of all others'
                '--timezone' = 'IANA time zone of the hours'
            }
        }
        'shares create' = @{
            takers = @('--event-type', '--name', '--duration', '--duration-option', '--timezone', '--period', '--max-booking-time', '--rule', '--location-kind', '--location', '--body')
            fields = @('scheduling_links', 'scheduling_links.booking_url', 'scheduling_links.owner', 'scheduling_links.owner_type', 'share_override')
            flags = [ordered]@{
                '--event-type' = 'event type to book through the link'
                '--name' = 'name to show instead of the event type''s'
                '--duration' = 'length in minutes'
                '--duration-option' = 'length the invitee can choose, in minutes'
                '--timezone' = 'IANA time zone of the hours'
                '--period' = 'how far ahead invitees can book'
                '--max-booking-time' = 'how many days ahead invitees can book'
                '--rule' = 'hours in place of the event type''s, as ''monday 09:00-12:00'''
                '--location-kind' = 'kind of location'
                '--location' = 'address, phone number or instructions'
                '--body' = 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
            }
        }
        'one-offs create' = @{
            takers = @('--name', '--host', '--co-host', '--duration', '--timezone', '--location-kind', '--location', '--days', '--start-date', '--end-date', '--spot', '--body')
            fields = @('uri', 'name', 'active', 'slug', 'scheduling_url', 'duration', 'kind', 'pooling_type', 'type', 'color', 'created_at', 'updated_at', 'internal_note', 'description_plain', 'description_html', 'profile', 'profile.type', 'profile.name', 'profile.owner', 'secret', 'booking_method', 'custom_questions', 'custom_questions.name', 'custom_questions.type', 'custom_questions.position', 'custom_questions.enabled', 'custom_questions.required', 'custom_questions.answer_choices', 'custom_questions.include_other', 'deleted_at', 'admin_managed', 'locale')
            flags = [ordered]@{
                '--name' = 'name of the meeting'
                '--host' = 'user who hosts it (default: your own)'
                '--co-host' = 'additional host'
                '--duration' = 'length in minutes'
                '--timezone' = 'IANA time zone of the dates'
                '--location-kind' = 'kind of location'
                '--location' = 'address, phone number or instructions'
                '--days' = 'bookable for this many days from now'
                '--weekdays-only' = 'with --days: leave Saturday and Sunday out'
                '--start-date' = 'first day that can be booked'
                '--end-date' = 'last day that can be booked'
                '--spot' = 'a single time that can be booked'
                '--body' = 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it'
            }
        }
        'locations list' = @{
            takers = @('--user', '--limit', '--page-size')
            fields = @('kind', 'connected')
            flags = [ordered]@{
                '--user' = 'only locations of this user'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'routing-forms list' = @{
            takers = @('--org', '--sort', '--limit', '--page-size')
            fields = @('uri', 'organization', 'name', 'status', 'questions', 'questions.uuid', 'questions.name', 'questions.type', 'questions.required', 'questions.answer_choices', 'created_at', 'updated_at')
            flags = [ordered]@{
                '--org' = 'organization whose forms to list (default: your own)'
                '--sort' = 'sort by created_at, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'routing-forms submissions' = @{
            takers = @('--sort', '--limit', '--page-size')
            fields = @('uri', 'routing_form', 'questions_and_answers', 'questions_and_answers.question_uuid', 'questions_and_answers.question', 'questions_and_answers.answer', 'tracking', 'result', 'result.type', 'result.value', 'submitter', 'submitter_type', 'created_at', 'updated_at')
            flags = [ordered]@{
                '--sort' = 'sort by created_at, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'orgs get' = @{
            takers = @()
            fields = @('uri', 'name', 'kind', 'plan', 'stage', 'created_at', 'updated_at')
            flags = [ordered]@{}
        }
        'members list' = @{
            takers = @('--org', '--user', '--role', '--email', '--limit', '--page-size')
            fields = @('uri', 'role', 'user', 'user.uri', 'user.name', 'user.slug', 'user.email', 'user.scheduling_url', 'user.timezone', 'user.avatar_url', 'user.created_at', 'user.updated_at', 'user.current_organization', 'user.locale', 'user.resource_type', 'organization', 'created_at', 'updated_at')
            flags = [ordered]@{
                '--org' = 'organization whose members to list'
                '--user' = 'only the membership of this user'
                '--role' = 'only members with this role'
                '--email' = 'only the member with this email address'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'members get' = @{
            takers = @()
            fields = @('uri', 'role', 'user', 'user.uri', 'user.name', 'user.slug', 'user.email', 'user.scheduling_url', 'user.timezone', 'user.avatar_url', 'user.created_at', 'user.updated_at', 'user.current_organization', 'user.locale', 'user.resource_type', 'organization', 'created_at', 'updated_at')
            flags = [ordered]@{}
        }
        'invitations list' = @{
            takers = @('--org', '--email', '--status', '--sort', '--limit', '--page-size')
            fields = @('uri', 'organization', 'email', 'status', 'last_sent_at', 'user', 'name', 'kind', 'plan', 'stage', 'created_at', 'updated_at')
            flags = [ordered]@{
                '--org' = 'organization whose invitations to list (default: your own)'
                '--email' = 'only invitations to this email address'
                '--status' = 'only invitations with this status'
                '--sort' = 'sort by created_at, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'groups list' = @{
            takers = @('--org', '--limit', '--page-size')
            fields = @('uri', 'name', 'organization', 'created_at', 'updated_at')
            flags = [ordered]@{
                '--org' = 'organization whose groups to list (default: your own)'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'groups get' = @{
            takers = @()
            fields = @('uri', 'name', 'organization', 'created_at', 'updated_at')
            flags = [ordered]@{}
        }
        'groups relationships' = @{
            takers = @('--org', '--owner', '--group', '--limit', '--page-size')
            fields = @('uri', 'role', 'owner', 'owner.type', 'owner.uri', 'organization', 'group', 'created_at', 'updated_at')
            flags = [ordered]@{
                '--org' = 'relationships in the whole organization'
                '--owner' = 'only relationships of this member'
                '--group' = 'only relationships of this group'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'groups relationship' = @{
            takers = @()
            fields = @('uri', 'role', 'owner', 'owner.type', 'owner.uri', 'organization', 'group', 'created_at', 'updated_at')
            flags = [ordered]@{}
        }
        'groups events' = @{
            takers = @('--event-type', '--search', '--status', '--since', '--until', '--sort', '--limit', '--page-size', '--with')
            fields = @('uri', 'name', 'meeting_notes_plain', 'meeting_notes_html', 'status', 'start_time', 'end_time', 'event_type', 'location', 'location.type', 'location.location', 'location.join_url', 'location.status', 'invitees_counter', 'invitees_counter.total', 'invitees_counter.active', 'invitees_counter.limit', 'created_at', 'updated_at', 'event_memberships', 'event_memberships.user', 'event_memberships.user_email', 'event_memberships.user_name', '_sched')
            flags = [ordered]@{
                '--today' = 'events that start today'
                '--tomorrow' = 'events that start tomorrow'
                '--week' = 'today and the six days after it'
                '--upcoming' = 'events that start from now on'
                '--past' = 'events that started before now, the latest first'
                '--event-type' = 'events of this type, by name, ID or URI'
                '--search' = 'text in name, location, hosts or notes; case and accents do not matter'
                '--status' = 'only events with this status'
                '--since' = 'only events starting at or after this time'
                '--until' = 'only events starting before this time'
                '--sort' = 'sort by start_time, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
                '--with' = 'add to each event'
            }
        }
        'users me' = @{
            takers = @()
            fields = @('uri', 'name', 'slug', 'email', 'scheduling_url', 'timezone', 'avatar_url', 'created_at', 'updated_at', 'current_organization', 'locale', 'resource_type')
            flags = [ordered]@{}
        }
        'users get' = @{
            takers = @()
            fields = @('uri', 'name', 'slug', 'email', 'scheduling_url', 'timezone', 'avatar_url', 'created_at', 'updated_at', 'current_organization', 'locale', 'resource_type')
            flags = [ordered]@{}
        }
        'activity list' = @{
            takers = @('--org', '--action', '--namespace', '--since', '--until', '--sort', '--limit', '--page-size')
            fields = @('uri', 'organization', 'action', 'fully_qualified_name', 'namespace', 'actor', 'actor.uri', 'actor.type', 'actor.display_name', 'actor.alternative_identifier', 'details', 'occurred_at')
            flags = [ordered]@{
                '--org' = 'organization whose entries to list (default: your own)'
                '--action' = 'only entries with this action'
                '--namespace' = 'only entries in this namespace'
                '--since' = 'only entries at or after this time'
                '--until' = 'only entries before this time'
                '--sort' = 'sort by occurred_at, optionally with :asc or :desc'
                '--limit' = 'how many results at most'
                '--all' = 'every result; a terminal shows 50 otherwise'
                '--page-size' = 'results per request, 1 to 100 (default 100)'
            }
        }
        'compliance delete' = @{
            takers = @('--from', '--column', '--field', '--receipt', '--batch-size', '--confirm', '--max', '--org', '--receipt-key-file')
            fields = @('run', 'total', 'accepted', 'rejected', 'unknown', 'skipped', 'receipt', 'head', 'addresses', 'duplicates', 'invalid_lines', 'batches', 'estimated_s', 'digest', 'comments', 'header_lines', 'blank_lines')
            flags = [ordered]@{
                '--from' = 'addresses from a file, or - for stdin: one a line, CSV, JSON or JSONL'
                '--column' = 'column of a CSV, by name or number'
                '--field' = 'field of each JSON object, as a.b'
                '--skip-invalid' = 'leave out lines that hold no address, and count them'
                '--receipt' = 'where the receipt is written, and read to go on (default: the state directory)'
                '--again' = 'do what was done within the last 12 hours once more'
                '--allow-empty' = 'no address at all is no failure'
                '--batch-size' = 'addresses a request, 1 to 1000 (default 25)'
                '--confirm' = 'consent to this count of addresses, or to sha256:..., as --dry-run prints them'
                '--max' = 'refuse more addresses than this; with --yes it consents'
                '--org' = 'refuse unless the token belongs to this organization'
                '--receipt-key-file' = 'key of the receipt (default SCHED_RECEIPT_KEY_FILE, else the keychain or the state directory)'
            }
        }
        'compliance runs' = @{
            takers = @()
            fields = @('run', 'started_at', 'ended_at', 'status', 'total', 'accepted', 'rejected', 'unknown', 'skipped', 'organization', 'owner', 'endpoint', 'tool', 'sandbox', 'finding', 'receipt', 'head')
            flags = [ordered]@{}
        }
        'compliance verify' = @{
            takers = @('--head')
            fields = @('status', 'finding', 'line', 'run', 'started_at', 'ended_at', 'total', 'accepted', 'rejected', 'unknown', 'skipped', 'organization', 'owner', 'endpoint', 'tool', 'sandbox', 'receipt', 'head')
            flags = [ordered]@{
                '--head' = 'head hash that the run printed at its end, as sha256:...'
            }
        }
        'compliance prove' = @{
            takers = @('--email', '--receipt-key-file')
            fields = @('found', 'verdict', 'at', 'http_status', 'batch', 'mark', 'run', 'receipt_status', 'sandbox', 'receipt')
            flags = [ordered]@{
                '--email' = 'the address, or - to read it from stdin'
                '--receipt-key-file' = 'key of the receipt (default SCHED_RECEIPT_KEY_FILE, else the keychain or the state directory)'
            }
        }
        'compliance key' = @{
            takers = @()
            fields = @('file', 'key')
            flags = [ordered]@{}
        }
        'compliance bundle' = @{
            takers = @('--to', '--receipt-key-file')
            fields = @('folder', 'run', 'status', 'head', 'activity_entries', 'receipt')
            flags = [ordered]@{
                '--to' = 'folder to make (default bundle-RUN)'
                '--receipt-key-file' = 'key of the receipt (default SCHED_RECEIPT_KEY_FILE, else the keychain or the state directory)'
            }
        }
        'auth login' = @{
            takers = @('--base-url', '--auth-url', '--mcp-url', '--client-id', '--scopes', '--add-scopes', '--port', '--credential-store')
            fields = @('profile', 'base_url', 'source', 'kind', 'user', 'user_name', 'organization', 'scopes', 'expires_at', 'usable')
            flags = [ordered]@{
                '--base-url' = 'address of the API'
                '--auth-url' = 'address of the authorization server'
                '--mcp-url' = 'address of the MCP server'
                '--client-id' = 'identifier of this program at the authorization server'
                '--scopes' = 'what to ask for, as a,b (default: everything but the dangerous)'
                '--add-scopes' = 'ask for these beside what the login has'
                '--read-only' = 'ask for reading alone'
                '--with-token' = 'read a personal access token from stdin instead'
                '--no-browser' = 'print the address and open nothing'
                '--paste' = 'paste the address the browser ends at, where it cannot reach this machine'
                '--port' = 'port to listen on, where the service wants it exactly'
                '--credential-store' = 'where the token is kept'
            }
        }
        'auth status' = @{
            takers = @()
            fields = @('profile', 'base_url', 'source', 'kind', 'user', 'user_name', 'organization', 'scopes', 'expires_at', 'usable')
            flags = [ordered]@{
                '--check' = 'ask the service too'
            }
        }
        'auth token' = @{
            takers = @('--min-ttl')
            fields = @()
            flags = [ordered]@{
                '--min-ttl' = 'renew first what lives shorter'
            }
        }
        'auth refresh' = @{
            takers = @()
            fields = @('profile', 'base_url', 'source', 'kind', 'user', 'user_name', 'organization', 'scopes', 'expires_at', 'usable')
            flags = [ordered]@{}
        }
        'auth logout' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{
                '--all' = 'of all profiles'
            }
        }
        'profiles list' = @{
            takers = @()
            fields = @('name', 'current', 'base_url', 'auth_url', 'mcp_url', 'client_id', 'issuer', 'user', 'organization', 'timezone', 'output', 'uri_root', 'login')
            flags = [ordered]@{}
        }
        'profiles show' = @{
            takers = @()
            fields = @('name', 'current', 'base_url', 'auth_url', 'mcp_url', 'client_id', 'issuer', 'user', 'organization', 'timezone', 'output', 'uri_root', 'login')
            flags = [ordered]@{}
        }
        'profiles add' = @{
            takers = @('--base-url', '--auth-url', '--mcp-url', '--client-id', '--issuer', '--user', '--organization', '--from')
            fields = @('name', 'current', 'base_url', 'auth_url', 'mcp_url', 'client_id', 'issuer', 'user', 'organization', 'timezone', 'output', 'uri_root', 'login')
            flags = [ordered]@{
                '--base-url' = 'address of the API'
                '--auth-url' = 'address of the authorization server'
                '--mcp-url' = 'address of the MCP server'
                '--client-id' = 'identifier of this program at the authorization server'
                '--issuer' = 'the authorization server, as it names itself'
                '--user' = 'user that is meant where none is named'
                '--organization' = 'organization that is meant where none is named'
                '--from' = 'take what `profiles export` printed, - for stdin'
            }
        }
        'profiles set' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{}
        }
        'profiles use' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{}
        }
        'profiles remove' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{}
        }
        'profiles export' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{}
        }
        'mcp metadata' = @{
            takers = @()
            fields = @('resource', 'authorization_servers', 'scopes_supported', 'bearer_methods_supported')
            flags = [ordered]@{}
        }
        'api' = @{
            takers = @('--method', '-X', '--raw-field', '-f', '--field', '-F', '--input', '--header', '-H', '--limit', '--page-size', '--output', '-o')
            fields = @()
            flags = [ordered]@{
                '--method' = 'the same as METHOD in front'
                '--raw-field' = 'text for the query of a GET, for the JSON body of any other method'
                '--field' = 'the same, but true, false, null and whole numbers are not text, and @FILE or @- reads the value'
                '--input' = 'the whole body from a file, or - for stdin; fields then go to the query'
                '--header' = 'a header of the request, as ''Name: value'''
                '--paginate' = 'follow a list to its end and print one array of its items'
                '--limit' = 'how many results at most; with --paginate'
                '--page-size' = 'results per request, 1 to 100 (default 100); with --paginate'
                '--include' = 'print status and headers of the reply before its body'
                '--silent' = 'print nothing of the body'
                '--output' = 'format of the answer; without it the reply as it came, as JSON'
                '--if-absent' = 'look at the service first, and take the booking if it is there: for scripts and CI; with POST /invitees'
                '--allow-duplicate' = 'book although the same is booked already, or may be; with POST /invitees'
            }
        }
        'doctor' = @{
            takers = @()
            fields = @('check', 'status', 'finding', 'fix')
            flags = [ordered]@{
                '--network' = 'ask the service too: is it there, and does the clock agree'
            }
        }
        'sandbox start' = @{
            takers = @('--port', '--data', '--seed', '--fault', '--faults', '--plan', '--refresh-replay-window')
            fields = @('base_url', 'auth_url', 'mcp_url', 'client_id', 'token', 'tokens', 'plan', 'data', 'admin_token')
            flags = [ordered]@{
                '--port' = 'port on 127.0.0.1, 0 for any free one (default 4010)'
                '--data' = 'keep the data in this file, or in :memory:, instead of where all sandbox commands keep it'
                '--seed' = 'what new data holds: demo, empty (people and tokens only) or large:N (N more events); default demo'
                '--fault' = 'let something go wrong, as ''events.list 503 at=2'' or JSON; all kinds: docs/sandbox.md'
                '--faults' = 'faults from a file: a JSON array'
                '--plan' = 'plan of the organization (default enterprise, or what the data says)'
                '--no-limits' = 'count no requests and refuse none for being too many'
                '--auto-consent' = 'consent to every login at once: nobody has to click'
                '--refresh-replay-window' = 'how long a spent refresh token gets the same reply again (default 0s)'
            }
        }
        'sandbox run' = @{
            takers = @('--port', '--data', '--seed', '--fault', '--faults', '--plan', '--refresh-replay-window')
            fields = @()
            flags = [ordered]@{
                '--port' = 'port on 127.0.0.1 (default 0: any free one)'
                '--data' = 'keep the data in this file (default :memory:, a fresh world each time)'
                '--seed' = 'what new data holds: demo, empty (people and tokens only) or large:N (N more events); default demo'
                '--fault' = 'let something go wrong, as ''events.list 503 at=2'' or JSON; all kinds: docs/sandbox.md'
                '--faults' = 'faults from a file: a JSON array'
                '--plan' = 'plan of the organization (default enterprise, or what the data says)'
                '--no-limits' = 'count no requests and refuse none for being too many'
                '--auto-consent' = 'consent to every login at once: nobody has to click'
                '--refresh-replay-window' = 'how long a spent refresh token gets the same reply again (default 0s)'
            }
        }
        'sandbox tokens' = @{
            takers = @()
            fields = @('name', 'token', 'user', 'role', 'kind', 'scopes', 'refresh_token')
            flags = [ordered]@{}
        }
        'sandbox reset' = @{
            takers = @('--data', '--seed')
            fields = @()
            flags = [ordered]@{
                '--data' = 'keep the data in this file, or in :memory:, instead of where all sandbox commands keep it'
                '--seed' = 'what new data holds: demo, empty (people and tokens only) or large:N (N more events); default demo'
            }
        }
        'sandbox clock' = @{
            takers = @('--data')
            fields = @('time', 'offset_seconds', 'data')
            flags = [ordered]@{
                '--data' = 'keep the data in this file, or in :memory:, instead of where all sandbox commands keep it'
            }
        }
        'sandbox openapi' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{}
        }
        'ratelimit' = @{
            takers = @()
            fields = @('window', 'limit', 'remaining', 'reset_at', 'reset_s', 'waiting')
            flags = [ordered]@{}
        }
        'completion' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{}
        }
        'man' = @{
            takers = @()
            fields = @()
            flags = [ordered]@{}
        }
    }
    $values = @{
        'events list --status' = @('words', 'active', 'canceled')
        'invitees list --status' = @('words', 'active', 'canceled')
        'groups events --status' = @('words', 'active', 'canceled')
        'events list --sort' = @('words', 'start_time:asc', 'start_time:desc')
        'groups events --sort' = @('words', 'start_time:asc', 'start_time:desc')
        'events list --with' = @('words', 'invitees')
        'events get --with' = @('words', 'invitees')
        'groups events --with' = @('words', 'invitees')
        'events cancel --body' = @('files')
        'invitees create --body' = @('files')
        'event-types create --body' = @('files')
        'event-types update --body' = @('files')
        'shares create --body' = @('files')
        'one-offs create --body' = @('files')
        'events cancel --from' = @('files')
        'compliance delete --from' = @('files')
        'profiles add --from' = @('files')
        'events cancel --receipt' = @('files')
        'compliance delete --receipt' = @('files')
        'invitees list --sort' = @('words', 'created_at:asc', 'created_at:desc')
        'routing-forms list --sort' = @('words', 'created_at:asc', 'created_at:desc')
        'routing-forms submissions --sort' = @('words', 'created_at:asc', 'created_at:desc')
        'invitations list --sort' = @('words', 'created_at:asc', 'created_at:desc')
        'invitees create --location-kind' = @('words', 'physical', 'custom', 'ask_invitee', 'inbound_call', 'outbound_call', 'google_conference', 'zoom_conference', 'microsoft_teams_conference', 'webex_conference', 'gotomeeting_conference')
        'event-types create --location-kind' = @('words', 'physical', 'custom', 'ask_invitee', 'inbound_call', 'outbound_call', 'google_conference', 'zoom_conference', 'microsoft_teams_conference', 'webex_conference', 'gotomeeting_conference')
        'event-types update --location-kind' = @('words', 'physical', 'custom', 'ask_invitee', 'inbound_call', 'outbound_call', 'google_conference', 'zoom_conference', 'microsoft_teams_conference', 'webex_conference', 'gotomeeting_conference')
        'shares create --location-kind' = @('words', 'physical', 'custom', 'ask_invitee', 'inbound_call', 'outbound_call', 'google_conference', 'zoom_conference', 'microsoft_teams_conference', 'webex_conference', 'gotomeeting_conference')
        'one-offs create --location-kind' = @('words', 'physical', 'custom', 'ask_invitee', 'inbound_call', 'outbound_call', 'google_conference', 'zoom_conference', 'microsoft_teams_conference', 'webex_conference', 'gotomeeting_conference')
        'event-types list --sort' = @('words', 'name:asc', 'name:desc', 'position:asc', 'position:desc', 'created_at:asc', 'created_at:desc', 'updated_at:asc', 'updated_at:desc')
        'shares create --period' = @('words', 'available_moving', 'moving', 'fixed', 'unlimited')
        'members list --role' = @('words', 'owner', 'admin', 'user')
        'invitations list --status' = @('words', 'pending', 'accepted', 'declined')
        'activity list --sort' = @('words', 'occurred_at:asc', 'occurred_at:desc')
        'compliance delete --receipt-key-file' = @('files')
        'compliance prove --receipt-key-file' = @('files')
        'compliance bundle --receipt-key-file' = @('files')
        'compliance runs 1' = @('files')
        'compliance verify 1' = @('files')
        'compliance prove 1' = @('files')
        'compliance key 1' = @('files')
        'compliance bundle 1' = @('files')
        'auth login --credential-store' = @('words', 'keychain', 'file')
        'profiles show 1' = @('profiles')
        'profiles use 1' = @('profiles')
        'profiles remove 1' = @('profiles')
        'profiles export 1' = @('profiles')
        'profiles set 1' = @('words', 'base_url', 'auth_url', 'mcp_url', 'client_id', 'issuer', 'user', 'organization', 'timezone', 'output', 'uri_root')
        'api --input' = @('files')
        'api --output' = @('words', 'table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id')
        'api -o' = @('words', 'table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id')
        'api 1' = @('words', 'GET', 'POST', 'PATCH', 'PUT', 'DELETE')
        'sandbox start --data' = @('files')
        'sandbox run --data' = @('files')
        'sandbox reset --data' = @('files')
        'sandbox clock --data' = @('files')
        'sandbox start --faults' = @('files')
        'sandbox run --faults' = @('files')
        'sandbox start --plan' = @('words', 'trial', 'free', 'standard', 'enterprise')
        'sandbox run --plan' = @('words', 'trial', 'free', 'standard', 'enterprise')
        'sandbox clock 1' = @('words', 'set', 'advance')
        'completion 1' = @('words', 'bash', 'zsh', 'fish', 'powershell')
        'man 1' = @('words', 'events', 'invitees', 'event-types', 'availability', 'shares', 'one-offs', 'locations', 'routing-forms', 'orgs', 'members', 'invitations', 'groups', 'users', 'activity', 'compliance', 'mcp', 'auth', 'profiles', 'api', 'doctor', 'sandbox', 'ratelimit', 'completion', 'man', 'flags', 'formatting', 'time', 'environment', 'exit-codes', 'ci')
        '--output' = @('words', 'table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id')
        '-o' = @('words', 'table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id')
        '--json' = @('fields')
        '--fields' = @('fields')
        '--color' = @('words', 'auto', 'always', 'never')
        '--profile' = @('profiles')
        '-p' = @('profiles')
    }

    $candidate = {
        param($text, $description)
        if (-not $description) { $description = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text.Trim(), 'ParameterValue', $description)
    }
    $offer = {
        param($table)
        foreach ($entry in $table.GetEnumerator()) {
            if ($entry.Key.StartsWith($typed, [StringComparison]::Ordinal)) { & $candidate $entry.Key $entry.Value }
        }
    }

    $noun = ''
    $command = ''
    $taker = ''
    $position = 1
    $typed = "$wordToComplete"
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($typed -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
        ForEach-Object { $_.Extent.Text })
    foreach ($word in $before) {
        if ($taker) {
            $taker = ''
        } elseif ($word -ceq '--') {
            return
        } elseif ($word.Length -gt 1 -and $word.StartsWith('-')) {
            if ($sharedTakers -ccontains $word -or ($command -and $commands[$command].takers -ccontains $word)) { $taker = $word }
        } elseif ($command) {
            $position++
        } elseif ($noun) {
            $command = "$noun $word"
            if (-not $commands.ContainsKey($command)) { return }
        } elseif ($word -cne 'help') {
            if (-not $nounOf.ContainsKey($word)) { return }
            $noun = $nounOf[$word]
            if (-not $verbsOf.ContainsKey($noun)) { $command = $noun }
        }
    }

    $lead = ''
    $name = "$position"
    if ($taker) {
        $name = $taker
    } elseif ($typed.StartsWith('--') -and $typed.Contains('=')) {
        $name, $typed = $typed.Split([char[]]'=', 2)
        $taker = $name
        $lead = "$name="
    }
    $value = $null
    if ($values.ContainsKey("$command $name")) { $value = $values["$command $name"] }
    elseif ($values.ContainsKey($name)) { $value = $values[$name] }

    if ($value -and ($taker -or ($command -and -not $typed.StartsWith('-')))) {
        switch ($value[0]) {
            'words' {
                foreach ($word in ($value | Select-Object -Skip 1)) {
                    if ($word.StartsWith($typed, [StringComparison]::Ordinal)) { & $candidate "$lead$word" $word }
                }
            }
            'fields' {
                $comma = $typed.LastIndexOf(',') + 1
                $chosen = $typed.Substring(0, $comma)
                $typed = $typed.Substring($comma)
                if (-not $command) { return }
                foreach ($word in $commands[$command].fields) {
                    if ($word.StartsWith($typed, [StringComparison]::Ordinal) -and $chosen.Split(',') -cnotcontains $word) {
                        & $candidate "$lead$chosen$word" $word
                    }
                }
            }
            'profiles' {
                $program = Get-Command -Name sched -CommandType Application, ExternalScript -ErrorAction Ignore |
                    Select-Object -First 1
                if (-not $program) { return }
                foreach ($word in (& $program profiles list -o id 2>$null)) {
                    if (-not $word) { continue }
                    $text = "$word"
                    if ($text -cnotmatch '^[A-Za-z0-9][A-Za-z0-9._-]*$') {
                        $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'"
                    }
                    if ("$word".StartsWith($typed, [StringComparison]::Ordinal)) { & $candidate "$lead$text" "$word" }
                }
            }
            'files' {
                if ($typed -match '[$`]') { return }
                foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed)) {
                    [System.Management.Automation.CompletionResult]::new(
                        "$lead$($file.CompletionText)", $file.ListItemText, $file.ResultType, $file.ToolTip)
                }
            }
        }
        return
    }
    if ($taker) { return }
    if ($typed.StartsWith('-') -or $command) {
        if ($command) { & $offer $commands[$command].flags } elseif (-not $noun) { & $offer $rootFlags }
        foreach ($entry in $sharedFlags.GetEnumerator()) {
            if ($command -and $commands[$command].flags.Contains($entry.Key)) { continue }
            & $offer @{ ($entry.Key) = $entry.Value }
        }
    } elseif ($noun) {
        & $offer $verbsOf[$noun]
    } else {
        & $offer $nouns
    }
}
