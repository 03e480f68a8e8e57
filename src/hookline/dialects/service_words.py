"""The words by which calls of servers' tools are told: verbs by what they mean, things by their kind, and the table of
what comes of both. Things are singular.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LOOKS = _words("""
    analyse analyze browse calculate check compare count describe diff discover docs download estimate
    explain export fetch find forecast get has help history info inspect is list logs lookup peek ping
    predict preview probe query read report retrieve review search show simulate status suggest
    summarize test validate verify view wait
""")
ONLY_ASKS = _words("describe get list")
# What stands last in a name that only tells of what its other words do: `rollout_status`.
TELLS = _words("""
    checklist cost details eligibility estimate history info logs options preview progress quote
    readiness report status summary
""")

# Verbs. For good, whatever it is; but not what is the agent's own, or of little worth.
DELETES = _words("""
    decommission del delete deletion deprovision destroy destruction dispose drop erase erasure expunge
    flush flushall flushdb nuke obliterate purge removal rmi shred teardown terminate termination
    truncate undefine undeploy unlink unpublish wipe yank
""")
# The same, of more things that do not matter.
CUTS = _words("""
    abort ban bypass cancel cancellation deactivate deactivation deregister deregistration detach
    disable disassociate disconnect dissociate eject empty expel forget invalidate kick offboard prune
    remove rescind retire revocation revoke rm unbind unenroll uninstall unpair unregister unset untrust
    void
""")
FIRST_CUTS = _words("block")
# Only where the thing is known to matter.
TURNS_BACK = _words("archive cleanup clear expire restore revert transfer trash unprotect")
# The same, and of what nobody knows as well.
RESETS = _words("reset")
HALTS = _words("""
    contain cordon deallocate drain evict failover halt hibernate isolate powercycle poweroff quiesce
    reboot reinstall seal shutdown suspend
""")
STOPS = _words("freeze kill pause restart stop")
# Of a protection, what leaves one without it.
WEAKENS = _words("""
    bypass deactivate disable dismiss downgrade exempt exclude ignore lift lower mute off pause relax
    release silence skip snooze stop suppress suspend uncontain unprotect unquarantine weaken
""")
# A machine that is put up anew, without what it held.
REBUILDS = _words("rebuild reformat reimage reprovision")
PUBLISHES = _words("cutover deploy promote redeploy rollback rollout ship")
STARTS = _words("build dispatch execute invoke play queue retry run start trigger unblock")
RUNS = _words("dispatch execute launch run start trigger")
GRANTS = _words("""
    accept activate add allow allowlist apply approve assign associate assume attach authorize bind
    change create delegate demote edit elevate enable enroll escalate extend generate grant impersonate
    import insert invite issue join link mint modify onboard open patch promote provision put regenerate
    register replace reset rotate set trust unassign update upload upsert whitelist write
""")
CHANGES = _words("""
    activate adjust alter change create deactivate disable edit enable increase kill modify mutate patch
    put raise remove set switch toggle turn update upsert
""")
PUTS = _words("create put update upload write")
ROLLS = _words("apply install uninstall upgrade")
PAYS = _words("""
    approve authorize capture charge confirm create execute fund initiate make pay process release
    reverse schedule settle submit
""")
SENDS = _words("bridge deposit pay send stake swap transfer unstake wire")
BUYS = _words("buy donate purchase repurchase sell topup")
RENEWS = _words("extend register renew upgrade")
STARTS_ADS = _words("activate boost enable launch resume start unpause")
INVESTS = SENDS | _words("borrow invest lend place repay supply unwrap wrap")
TRADES = _words("buy cancel close create limit market modify open place sell send submit")
MAILS = _words("fire launch schedule send start trigger")
POSTS = _words("add create post publish schedule share submit upload")
LETS_IN = _words("activate approve reinstate unban unblock unfreeze unsuspend")
OPENS = _words("disarm disarmed unlock")
ACTS = frozenset(("merge", "push", "scale", "share", "sync")).union(
    DELETES, CUTS, FIRST_CUTS, TURNS_BACK, HALTS, STOPS, WEAKENS, PUBLISHES, STARTS, GRANTS, PAYS, SENDS, BUYS,
    ("publish", "release"),
)  # fmt: skip
TELLING = ACTS | LOOKS
# Of these, the words that are things as often: verbs only where they stand first, or as told.
NOUNS = _words("""
    block book bridge build charge fund issue lift limit link lock lower market mute order position
    queue release rollout schedule seal ship silence trash
""")
# Of these, such as do behind a server's name as well: `twilio_release_phone_number`.
SECOND = _words("lock mute release seal silence trash")
# Such as say at the end what is done: `user_delete`.
ENDS = (DELETES | CUTS | TURNS_BACK | HALTS | {"publish", "promote", "block", "mute", "silence"}) - {
    "empty",
    "transfer",
    "void",
}
# What stands beside a verb and is no thing, where an argument says what is done.
FILLERS = _words("""
    action all api async batch bulk by call command entire execute force generic id manage management
    manager multi multiple now operation permanent permanently request run tool v
""")
FILES = _words("directory file folder path")
# What is public by nature.
OPEN_ANYWAY = _words("address channel dns folder gateway holiday ip ipv key profile subnet")
# Out of which a thing is taken, and stays what it is.
PLACES = _words("album cart favorite list milestone playlist sprint view watchlist")
# Deeds on files as well.
ON_FILES = _words("detach empty prune remove rm unset")
PREPOSITIONS = _words("and for from in of on to with")

# Things.
LITTLE = _words("""
    actor alarm alert annotation attribute bookmark breakpoint cache cell chart checkpoint clip comment
    component context cookie draft drag edge element entity event favorite frame highlight hook keyframe
    label layer like line link measure memory mesh model node note notification observation pane paragraph
    pending process property range reaction relation reminder scene selection session shape shot slide
    star step subtask symbol tab tag task temp temporary terminal text thought tile todo track trigger
    watch watchlist worktree
""")
MINOR = LITTLE | _words("""
    animation appointment assignee attendee background batch bot build call card cart class column
    connection crawl dependency device dialog download duplicate effect emoji execution favourite filter
    follower formatting friend hold import issue item job keyword listener log marker meeting mock
    operation overlay participant pin query recording request reviewer row run scan search song sound
    step style tag theme timer tool upload vote watcher whitespace widget
""")
# What was never meant to stay.
TRANSIENT = _words("demo draft mock paper pending temp temporary")
# Beside which the same is worth more: `registered_model`, `helm_chart`.
MATTERS = _words("""
    acl antivirus audit credit encryption firewall forever helm mfa nat permanent permanently prod
    production protection quarantine recycle registered retention security service waf
""")
HELD = _words("""
    account addon app application audit authenticator backup blocking board booking bot branch bucket
    certificate channel chart chat client cluster collection connector contact container conversation
    customer dashboard database dataset datasource db deal deployment disk document domain droplet dump
    email encryption environment extension factor feature firewall flag function gate group helm image
    index instance integration invoice key keyspace lead letter logging mailbox member message mfa
    migrate migration monitor monitoring mysql namespace network object offset order org organization
    ownership page parent passkey password payment pg plugin pod policy postgres postgresql product
    project protection queue record registry release repo repository reservation resource role route
    rule schema secret server service site snapshot stack stream subscription table team ticket topic
    trash user variable vault versioning vm volume webhook worker workflow workspace zone
""")
RUNNING = _words("""
    agent app array broker cluster codespace database db deployment device droplet dyno endpoint
    environment fleet gateway guest host instance job lpar lxc machine node nodepool organization pod
    pool project replication runner server service site subscription system trail tunnel user vm vmss
    vps warehouse workload
""")
# What is not running though it may be stopped.
STILL = _words("chat conversation document email image message object page record stream")
STOPPABLE = RUNNING | (HELD - STILL)
# What is taken up, played or measured for a while.
TAKEN = _words("""
    capture count debuggee debugging entry forward media motor playback profiling progress recorder streaming
    sync ticker time tracing tracking video voice
""")
# What only looks otherwise, or begins anew.
UNCHANGED = _words("""
    bin camera conversation counter estimate form game layout level metric order position spend spent
    state time view zoom
""")
# Where things are tried out, and started anew all the time.
TRIED = _words("container debug debugger dev kernel language lsp repl test watch")
MACHINES = _words("container device droplet guest host instance linode lpar lxc machine node server vm vps")
# What a service gives back to others.
RELEASED = _words("address eip ip number phone")
PROTECTS = _words("""
    alarm alert alerting antivirus approval audit auditing authentication authenticator backup blocking
    blocklist captcha containment detection dlp encryption factor firewall guardrail inspection
    isolation lockdown logging malware mfa monitor monitoring otp policy protection quarantine retention
    sanitization scanning security sso threat throttling trail versioning vulnerability waf
""")
RIGHTS = _words("""
    access acl administrator apikey collaborator credential entitlement firewall forwarding grant iam
    impersonation ingress invitation membership moderator nameserver nsg owner ownership password
    permission permset policy privilege role secret superuser webhook
""")
PAIRS = tuple(map(_words, (
    "access key", "access list", "access token", "api key", "api token", "auth key", "auth token", "deploy key",
    "deploy token", "ip allowlist", "ip whitelist", "security group", "security rule", "service account", "ssh key",
    "db user", "database user", "iam user", "login user", "org member", "organization member", "project member",
    "team member", "group member", "admin user", "branch protection", "default branch", "dns record",
    "change record set", "user group", "user team", "user organization", "user org", "user project", "permission set",
    "dns host", "dns zone", "name server", "public access", "client secret", "personal token", "provisioning key",
    "signing key", "login profile", "launch permission",
)))  # fmt: skip
PUBLISHED = _words("""
    app article content document draft entry extension listing package page post product release site
    store theme version
""")
STARTED_FOR_ALL = _words("deployment release rollout")
MESSAGES = _words("comment event message mqtt notification queue reaction stream topic")
# What runs somewhere as soon as it is put there.
LIVE = tuple(map(_words, ("function code", "edge function", "lambda code", "worker script", "worker code")))
RUN = _words("automation build dag job pipeline playbook template workflow")
# What says where a change is told and discussed: there such a name is a word among others.
TALK = _words("comment document email event issue label message note page record task ticket")
MEETINGS = _words("attendee bot calendar event meeting")
MOVES_MONEY = _words("""
    disburse disbursement payout payroll refund reimburse reimbursement remit remittance settlement
    topup withdraw withdrawal
""")
PAID = _words("allowance charge expense payment spending swap trade transfer")
BILLS = _words("bill invoice order")
UNPAID = _words("""
    button draft email form item job link method notification option page plan receipt reminder request
    setting setup source task template term
""")
MONEY = _words("""
    asset balance bitcoin btc coin crypto currency erc eth ether fund money nft payment sol token usdc
    usdt wallet
""")
RENEWED = _words("domain license plan seat subscription tier")
BOOKED = _words("cab car delivery flight food grocery hotel meal pizza ride taxi ticket train trip")
ADS = _words("ad adgroup adset campaign creative")
TRADED = _words("order position trade")
MAILED = _words("blast broadcast bulk campaign marketing newsletter")
SOCIAL = _words("""
    bluesky buffer facebook hootsuite instagram linkedin mastodon medium pinterest producthunt reddit
    social threads tiktok tweet twitter youtube
""")
POSTED = _words("article photo pin post reel skeet status story thread toot tweet update video")
OPENED = _words("alarm car door garage gate lock safe vehicle")

ANY, CAREFUL = (
    frozenset[str](),
    frozenset({"*"}),
)  # CAREFUL: where a thing is held, what else is there lets it off no more
# Effect, verbs, things, and the things that let it off.
TABLE = (
    ("discard", DELETES, CAREFUL, LITTLE),
    ("discard", CUTS, CAREFUL, MINOR),
    ("discard", FIRST_CUTS, CAREFUL, MINOR),
    ("discard", TURNS_BACK, HELD, frozenset({"bin"})),
    ("discard", RESETS, CAREFUL, MINOR | UNCHANGED),
    ("discard", frozenset({"clear"}), _words("audit session"), ANY),
    ("discard", _words("add remove"), frozenset({"liquidity"}), ANY),
    ("discard", REBUILDS, MACHINES, ANY),
    ("discard", MOVES_MONEY, ANY, UNPAID),
    ("discard", SENDS, MONEY, UNPAID),
    ("discard", PAYS, PAID, UNPAID | {"intent"}),
    ("discard", frozenset({"approve", "pay"}), BILLS, UNPAID),
    ("discard", frozenset({"approve", "fund", "submit"}), frozenset({"payroll", "reimbursement"}), ANY),
    ("discard", BUYS, ANY, UNPAID | {"order"}),
    ("discard", CHANGES, frozenset({"tier"}), ANY),
    ("discard", RENEWS, RENEWED, UNPAID - {"plan"}),
    ("discard", _words("book hail order request reserve"), BOOKED, ANY),
    ("discard", _words("confirm place submit"), _words("bet bid booking order reservation"), ANY),
    ("discard", _words("issue sell"), _words("card gift voucher"), ANY),
    ("discard", _words("increase raise"), _words("bid budget cap spend"), ANY),
    ("discard", _words("accept close"), _words("dispute index"), ANY),
    ("discard", frozenset({"merge"}), _words("account company contact customer deal lead person profile user"), ANY),
    ("discard", CHANGES, _words("expiration lifecycle retention"), ANY),
    ("discard", frozenset({"unassign"}), _words("app license policy role"), ANY),
    ("discard", frozenset({"reset"}), frozenset({"factory"}), ANY),
    ("discard", frozenset({"unlock"}), frozenset({"force"}), ANY),
    ("discard", frozenset({"create"}), frozenset({"restore"}), ANY),
    ("discard", frozenset({"discard"}), frozenset({"change"}), ANY),
    ("discard", frozenset({"end"}), _words("auction contract employment lease listing subscription"), ANY),
    ("discard", _words("burn mint"), _words("coin nft token"), ANY),
    ("discard", frozenset({"add"}), _words("credit fund"), ANY),
    ("discard", CHANGES, _words("bonus compensation salary wage"), ANY),
    ("discard", STARTS_ADS, ADS, ANY),
    ("discard", frozenset({"boost"}), _words("listing post"), ANY),
    ("publish", PUBLISHES, ANY, frozenset({"compose"})),
    ("publish", frozenset({"publish"}), ANY, MESSAGES),
    ("publish", frozenset({"upload"}), PUBLISHED, ANY),
    ("publish", _words("approve create force resume trigger"), STARTED_FOR_ALL, ANY),
    ("publish", frozenset({"release"}), _words("app build package product update version"), ANY),
    ("publish", frozenset({"activate"}), _words("configuration property version"), ANY),
    ("publish", MAILS, MAILED, ANY),
    ("publish", frozenset({"push"}), _words("chart image package"), ANY),
    ("publish", _words("broadcast notify send"), _words("all everyone subscriber"), ANY),
    ("publish", frozenset({"commit", "push", "send"}), frozenset({"config", "configuration"}), ANY),
    ("elevate", GRANTS, RIGHTS, frozenset({"comment", "issue", "label", "log", "report"})),
    ("elevate", frozenset({"invite"}), ANY, MEETINGS | {"comment"}),
    ("elevate", frozenset({"create", "generate", "issue", "regenerate", "rotate"}), frozenset({"token"}),
     frozenset({"color", "design", "style"})),
    ("elevate", WEAKENS, PROTECTS, ANY),
    ("elevate", frozenset({"add", "create"}), _words("exclusion exemption silence suppression"), ANY),
    ("elevate", _words("disarm disarmed"), ANY, ANY),
    ("elevate", LETS_IN, _words("account registration user"), ANY),
    ("elevate", _words("escalate grant impersonate"), ANY, ANY),
    ("elevate", frozenset({"make"}), _words("admin administrator moderator owner"), ANY),
    ("kill", frozenset({"lock"}), _words("account computer device user"), ANY),
    ("kill", HALTS, CAREFUL, (MINOR | STILL) - STOPPABLE),
    ("kill", STOPS, CAREFUL, (MINOR | STILL | TRIED | TAKEN) - (STOPPABLE - TRIED - {"server"})),
    ("kill", frozenset({"migrate"}), MACHINES, ANY),
    ("kill", _words("flash install update upgrade"), _words("bios firmware"), ANY),
    ("kill", _words("logout signout"), _words("all everyone"), ANY),
    ("kill", frozenset({"pause"}), STOPPABLE, ANY),
)  # fmt: skip

# Arguments. What a tool for several things is told to do, and what a service is told to run.
DEEDS = ("action", "command", "httpmethod", "method", "mode", "operation", "runaction", "subcommand")
STARTED = _words("""
    actionname fullname function functionname inventory macro mutation operationname procedure tool
    toolname toolslug
""")
# Arguments that hold a name.
NAMING = ("id", "key", "name", "slug")
TRIES = _words("dryrun previewonly simulate validateonly whatif")
MAIN = _words("main master production trunk")
OF_REPOSITORIES = _words("project projectid projectkey repo reponame repository reposlug")
OF_PROCESSES = _words("pid processid sessionid")
EVERYBODY = _words("""
    allusers anyone anyonewithlink anyonewiththelink everyone open public publicread publicreadwrite
""")
SHARED = _words("access acl cannedacl entity member principal scope sharewith type visibility")
SIZES = _words("""
    count desiredcapacity desiredcount desiredsize dyno instances maxsize minsize nodecount quantity
    replicas scale size
""")
NUMBERS = _words("desiredcapacity desiredcount desiredsize nodecount replicas")
PUT_OUT = tuple(map(_words, ("power off", "power cycle", "turn off", "scale down", "take offline")))
UNASKED = _words("autoapply autoapprove autodeploy")
# What takes somebody or something out of use, or puts it back.
OFF = _words("archived blocked cancelatperiodend cancelimmediately deactivated disabled intrash suspended")
ON = _words("active enabled isactive isenabled")
ENDED = _words("""
    archived banned blocked cancelled canceled deactivated deleted disabled inactive stopped suspended
    terminated
""")
SETTINGS = _words("key name path setting settingname")
PUT_TO_NO = _words("active enabled on state status value")
PROTECTING = (
    "audit", "blockpublic", "encrypt", "enforceadmins", "firewall", "guardrail", "mfa", "protection", "requireapproval",
    "requirereview", "ssl", "tls", "versioning", "waf",
)  # fmt: skip
NO = _words("0 disabled false no none off")
OF_STAGES = _words("""
    env environment environmentkey environmentname environmentslug network stage target targets
""")
LIVE_STAGES = _words("live prod production")
TRIED_STAGES = _words("dev development draft preview sandbox staging")
# What names a thing that holds people's data, whatever is taken out of it is called.
OF_TABLES = _words("bucket collection collectionname index table tableid tablename")
OF_TRADES = _words("""
    coin contract instrument orderside pair pairid side symbol ticker tradingpair tradingsymbol
    transactiontype triggerid
""")
ALWAYS_TRADES = _words("close liquidate open")  # positions, whatever else it is told
ON_CHAIN = _words("execute send write")  # a contract
# Whom a service sends its users, or their letters.
LEADS_TO = _words("""
    allowedcallbackurls allowedorigins callbacks callbackurls redirecturi redirecturis weborigins
""")
FORWARDED = _words("delegateemail forward forwardingaddress forwardingemail forwardto redirectto")
# Roles that may do all.
HIGH = _words("admin administrator maintainer moderator owner root superadmin superuser")
HIGHEST = _words("administrator owner superadmin superuser sysadmin")
OF_PEOPLE = _words("assignee author login name owner user username")
OF_ROLES = _words("accesslevel role rolename permission permissionlevel")
CART = _words("basket basketid cardid cart cartid paymentmethod paymentmethodid")
ORDERS = _words("book checkout complete confirm create place reserve submit")
OF_MESSAGES = _words("channel message payload subject topic")
# What an argument that is true begins with where all is lost by it.
LOSES = ("deleteall", "destroy", "drop", "erase", "purge", "recreate", "terminate", "truncate", "wipe")
# What is run in production and changes nothing there.
ONLY_RUN = _words("check report scan session test trace")
OF_HOUSE = _words("device deviceid devicename domain entityid lockid name")
# Consoles inside of an application, and what their code throws away.
CONSOLES = _words("anonymous apex console groovy tinker")
OF_CONSOLES = _words("apexcode code command expression input script snippet")
GUARDED = _words("""
    alloweddirectories allowedcommands allowedpaths allowlist autoapprove blockedcommands denylist
    permissionmode permissions readonly sandbox yolo
""")
SQL = _words("cypher ddl queries query sql sqlquery sqlstatement sqlstatements statement statements")

# Servers, by their names.
OWN = _words("""
    ableton adb android appium aseprite blender browser chrome dap davinci debugger emulator excel figma
    freecad gamemaker gdb ghidra gimp godot ide inkscape ios jetbrains jupyter kicad krita lldb lsp maya
    media memory minecraft mobile music neovim notebook obs photoshop player playwright plex powerbi
    powerpoint ppt puppeteer reaper revit rhino roblox roslyn selenium serena sim simulator sketchup
    solidworks sonos spotify taskmaster todo todoist unity unreal webdriver word xcode xcodebuild
""")
FORGES = _words("bitbucket codeberg forgejo gitea gitee github gitlab")
INFRASTRUCTURE = _words("hcp opentofu spacelift terraform tfc tofu")
CLUSTERS = _words("aks eks gke k k8s kubectl kubernetes oc openshift")
OF_DATABASES = _words("""
    athena bigquery cassandra clickhouse cockroachdb cql cypher d1 database db dbhub duckdb exec execute
    mariadb migration motherduck mssql mysql neo oracle pg postgres postgresql psql query redshift run
    snowflake spanner sql sqlite statement surrealdb timescale trino
""")
# Words that end as several things do, and are one.
SINGULAR = _words("aws cors dns ecs eks kms kubernetes postgres rds redis sms sns sqs status threads tls vps")
