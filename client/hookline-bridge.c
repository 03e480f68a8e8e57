/* Hands a bridged call to the resident process; whenever nobody takes it, becomes `hookline bridge`.
 *
 * The same as hookline/system/bridge_client.py without Python's start-up. The layout of the bytes is
 * described in hookline/hosts/resident/frames.py. HOOKLINE_VERSION is set when this is compiled.
 */
#include "kernel.h"

#ifndef HOOKLINE_VERSION
#define HOOKLINE_VERSION "?"
#endif
#ifndef TAKE_MS
#define TAKE_MS 1000 /* how long the resident may take to say that it works on the call */
#endif
#ifndef SILENT_S
#define SILENT_S 10  /* of an agent that does not close our input */
#endif
#define FIRST_ROOM 65536
#define IS_TERMINAL 0x5401 /* an ioctl that only terminals know: TCGETS */

struct bytes {
    char *start;
    size_t size, room;
    int mapped;
};

static char **environment;
static int64_t began_ms;
static int acting; /* the call is about something that a guard may forbid */

/* Room for `size` more bytes: 0, or -1 when there is no memory. */
static int reserve(struct bytes *in, size_t size)
{
    if (in->size + size <= in->room)
        return 0;
    size_t room = ((in->size + size) * 2 + 4095) & ~(size_t)4095;
    long found = in->mapped ? CALL(mremap, in->start, in->room, room, MREMAP_MAYMOVE, 0)
                            : ask_kernel(SYS_mmap, 0, (long)room, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (found < 0 && found > -4096)
        return -1;
    if (!in->mapped)
        memcpy((char *)found, in->start, in->size);
    in->start = (char *)found;
    in->room = room;
    in->mapped = 1;
    return 0;
}

static int add(struct bytes *to, const void *from, size_t size)
{
    if (reserve(to, size))
        return -1;
    memcpy(to->start + to->size, from, size);
    to->size += size;
    return 0;
}

static int add_text(struct bytes *to, const char *text)
{
    return add(to, text, strlen(text) + 1);
}

/* Standard input to its end, or until nothing came for too long: then what came is the call. */
static void read_all(struct bytes *into)
{
    while (!reserve(into, FIRST_ROOM / 4)) {
        struct pollfd wait = {0, POLLIN, 0};
        struct timespec limit = {SILENT_S, 0};
        long got = CALL(ppoll, &wait, 1, &limit, 0, 0);
        if (got > 0)
            got = CALL(read, 0, into->start + into->size, into->room - into->size, 0, 0);
        if (got == -EINTR || got == -EAGAIN)
            continue;
        if (got <= 0)
            return;
        into->size += (size_t)got;
    }
}

static int write_all(int handle, const char *from, size_t size)
{
    while (size) {
        long put = CALL(write, handle, from, size, 0, 0);
        if (put == -EINTR)
            continue;
        if (put == -EAGAIN) { /* whoever shares the stream has set it so */
            struct pollfd wait = {handle, POLLOUT, 0};
            CALL(ppoll, &wait, 1, 0, 0, 0);
            continue;
        }
        if (put < 0)
            return -1;
        from += put;
        size -= (size_t)put;
    }
    return 0;
}

static void leave(long code)
{
    for (;;)
        CALL(exit_group, code, 0, 0, 0, 0);
}

/* Whether an event, by its agent's name, says that a tool is about to be used: `about_to_act` of bridge_client.py. */
static int about_to_act(const char *event)
{
    static const char *const starts[] = {"pretool", "prerun", "prewrite", "preread", "premcp", "beforetool", "beforetab",
                                         "beforeshell", "beforemcp", "beforeread", "permissionrequest"};
    char plain[64];
    size_t size = 0;
    for (; *event && size < sizeof plain - 1; event++)
        if (*event != '_' && *event != '-')
            plain[size++] = *event >= 'A' && *event <= 'Z' ? (char)(*event + 32) : *event;
    plain[size] = 0;
    if (!strcmp(plain, "beforetoolselection"))
        return 0;
    for (size_t n = 0; n < sizeof starts / sizeof *starts; n++)
        if (!strncmp(plain, starts[n], strlen(starts[n])))
            return 1;
    return 0;
}

/* A line on stderr, and the end: a denial where a guard should have been asked, else a failure that agents tell of. */
static void give_up(const char *words, const char *about)
{
    write_all(2, "hookline-bridge: ", 17);
    write_all(2, words, strlen(words));
    write_all(2, about, strlen(about));
    write_all(2, "; no hook was asked\n", 20);
    leave(acting ? 2 : 1);
}

static int64_t now_ms(void)
{
    struct timespec at = {0, 0};
    CALL(clock_gettime, CLOCK_MONOTONIC, &at, 0, 0, 0);
    return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

/* At least `size` bytes before `end`: 0, -1 when the other side went away or it was too late. */
static int receive(int handle, struct bytes *into, size_t size, int64_t end)
{
    while (into->size < size) {
        int64_t left = end - now_ms();
        struct pollfd wait = {handle, POLLIN, 0};
        struct timespec limit = {left / 1000, left % 1000 * 1000000};
        if (left <= 0 || reserve(into, size - into->size))
            return -1;
        long ready = CALL(ppoll, &wait, 1, &limit, 0, 0);
        if (ready == -EINTR || ready == 0)
            continue;
        long got = ready < 0 ? ready
                             : CALL(read, handle, into->start + into->size, into->room - into->size, 0, 0);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            return -1;
        into->size += (size_t)got;
    }
    return 0;
}

static uint32_t number_at(const struct bytes *in, size_t place)
{
    uint32_t number;
    memcpy(&number, in->start + place, sizeof number);
    return number;
}

static const char *variable(const char *name)
{
    size_t size = strlen(name);
    for (char **each = environment; *each; each++)
        if (!strncmp(*each, name, size) && (*each)[size] == '=')
            return *each + size + 1;
    return "";
}

/* `one` and `other` behind each other in `into`: 0, or -1 when there is no room. */
static int join(char *into, size_t room, const char *one, const char *other)
{
    size_t size = strlen(one), more = strlen(other) + 1;
    if (size + more > room)
        return -1;
    memcpy(into, one, size);
    memcpy(into + size, other, more);
    return 0;
}

/* The number in decimal digits, at the end of `room`. */
static char *digits_of(int64_t number, char room[24])
{
    char *first = room + 23;
    *first = 0;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    return first;
}

/* The address `/proc/self/fd/PLACE/socket`: an address has no room for a long path. */
static struct sockaddr_un address_in(int place)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char digits[24], *first = digits_of(place, digits), start[64];
    join(start, sizeof start, "/proc/self/fd/", first);
    join(address.sun_path, sizeof address.sun_path, start, "/socket");
    return address;
}

/* A connection to this user's own resident, or -1. */
static int connect_resident(void)
{
    char folder[4096];
    const char *state = variable("XDG_STATE_HOME"), *home = variable("HOME");
    if (state[0] != '/' && home[0] != '/')
        return -1;
    if (state[0] == '/' ? join(folder, sizeof folder, state, "/hookline/resident")
                        : join(folder, sizeof folder, home, "/.local/state/hookline/resident"))
        return -1;
    int place = (int)CALL(openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0);
    if (place < 0)
        return -1;
    struct sockaddr_un address = address_in(place);
    int handle = (int)CALL(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0);
    struct timeval limit = {TAKE_MS / 1000, 0};
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (handle >= 0) {
        CALL(setsockopt, handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (CALL(connect, handle, &address, sizeof address, 0, 0) ||
            CALL(getsockopt, handle, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
            peer.uid != (uid_t)CALL(geteuid, 0, 0, 0, 0, 0)) {
            CALL(close, handle, 0, 0, 0, 0);
            handle = -1;
        }
    }
    CALL(close, place, 0, 0, 0, 0);
    return handle;
}

/* The request without its payload: 0, or -1 when there is no memory. */
static int build_request(struct bytes *into, const char *agent, const char *event, const char *workspace,
                         size_t payload)
{
    char directory[4096];
    if (CALL(getcwd, directory, sizeof directory, 0, 0, 0) < 0)
        join(directory, sizeof directory, "/", "");
    const char *first[] = {HOOKLINE_VERSION, agent, event, workspace, directory};
    uint32_t numbers[3] = {5, 0, (uint32_t)payload};
    if (add(into, "HKL1", 4) || add(into, numbers, sizeof numbers))
        return -1;
    size_t head = into->size;
    for (int i = 0; i < 5; i++)
        if (add_text(into, first[i]))
            return -1;
    for (char **each = environment; *each; each++, numbers[0]++)
        if (add_text(into, *each))
            return -1;
    numbers[1] = (uint32_t)(into->size - head);
    memcpy(into->start + 4, numbers, sizeof numbers);
    return 0;
}

static int send_all(int handle, struct iovec *parts, size_t count)
{
    while (count) {
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
        long put = CALL(sendmsg, handle, &message, MSG_NOSIGNAL, 0, 0);
        if (put == -EINTR)
            continue;
        if (put < 0)
            return -1;
        for (; count && (size_t)put >= parts->iov_len; parts++, count--)
            put -= (long)parts->iov_len;
        if (count) {
            parts->iov_base = (char *)parts->iov_base + put;
            parts->iov_len -= (size_t)put;
        }
    }
    return 0;
}

/* Who does not read our answer any more makes writing it fail, and ends us by no signal. */
static void outlive_readers(void)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } ignored = {SIG_IGN, 0, NULL, 0};
    CALL(rt_sigaction, SIGPIPE, &ignored, NULL, sizeof ignored.mask, 0);
}

/* Writes the resident's answer and leaves; comes back when there is none, or not in time. */
static void ask(const char *agent, const char *event, const char *workspace, const struct bytes *payload)
{
    static char rooms[2][FIRST_ROOM];
    struct bytes request = {rooms[0], 0, FIRST_ROOM, 0}, reply = {rooms[1], 0, FIRST_ROOM, 0};
    if (build_request(&request, agent, event, workspace, payload->size))
        return;
    int handle = connect_resident();
    if (handle < 0)
        return;
    struct iovec parts[] = {{request.start, request.size}, {payload->start, payload->size}};
    if (send_all(handle, parts, 2) || receive(handle, &reply, 5, now_ms() + TAKE_MS) ||
        reply.start[0] != 'T') {
        CALL(close, handle, 0, 0, 0, 0);
        return;
    }
    int64_t end = began_ms + number_at(&reply, 1);
    size_t out = 18, sizes[2] = {0, 0}; /* the word, and the head of the answer */
    int failed = receive(handle, &reply, out, end);
    if (!failed && reply.start[5] == 'A') {
        sizes[0] = number_at(&reply, 10);
        sizes[1] = number_at(&reply, 14);
        failed = receive(handle, &reply, out + sizes[0] + sizes[1], end);
    }
    if (failed || reply.start[5] != 'A') {
        CALL(close, handle, 0, 0, 0, 0);
        return;
    }
    outlive_readers();
    if (sizes[0] && write_all(1, reply.start + out, sizes[0])) { /* hookline knows what to do about that */
        CALL(close, handle, 0, 0, 0, 0);
        return;
    }
    write_all(2, reply.start + out + sizes[0], sizes[1]);
    leave(number_at(&reply, 6));
}

/* The Python that the first line of the script `hookline` names, or NULL. */
static char *python_of(const char *script, char *line, size_t room)
{
    int handle = (int)CALL(openat, AT_FDCWD, script, O_RDONLY | O_CLOEXEC, 0, 0);
    long got = handle < 0 ? -1 : CALL(read, handle, line, room - 1, 0, 0);
    if (handle >= 0)
        CALL(close, handle, 0, 0, 0, 0);
    if (got < 3 || line[0] != '#' || line[1] != '!' || line[2] != '/')
        return NULL;
    line[got] = 0;
    char *name = line + 2, *end = line + 2;
    for (; *end && *end != ' ' && *end != '\t' && *end != '\r' && *end != '\n'; end++)
        if (*end == '/')
            name = end;
    *end = 0;
    return strncmp(name, "/python", 7) ? NULL : line + 2;
}

/* Puts the payload on our own standard input. */
static void hand_over(const struct bytes *payload)
{
    int given = (int)CALL(memfd_create, "payload", 0, 0, 0, 0);
    if (given < 0 || write_all(given, payload->start, payload->size) ||
        CALL(lseek, given, 0, SEEK_SET, 0, 0) < 0 || (given && CALL(dup3, given, 0, 0, 0, 0) < 0))
        give_up("cannot hand over the call", "");
}

/* What `-m hookline` does, without the time to find a program by its name; a Python without what it needs denies. */
#define PROGRAM(code) \
    "import sys\n" \
    "try:\n from hookline.cli.main import entry\n" \
    "except Exception as error:\n" \
    " sys.stderr.write(f'hookline cannot run in {sys.executable} ({error}), so no hook was asked; mend that Python, " \
    "or take the entries of hookline out of the settings of the agent\\n')\n" \
    " sys.exit(" code ")\n" \
    "sys.exit(entry())"

/* `hookline` stands beside this program; it gets the payload, when there is one, on its standard input. */
static void become_hookline(int count, char **arguments, const struct bytes *payload)
{
    static char path[4096], line[1024];
    struct bytes room = {NULL, 0, 0, 0};
    long length = CALL(readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 16, 0);
    if (length <= 0 || reserve(&room, ((size_t)count + 5) * sizeof(char *)))
        give_up("cannot find `hookline`", "");
    while (length && path[length - 1] != '/')
        length--;
    join(path + length, sizeof path - (size_t)length, "hookline", "");
    if (payload)
        hand_over(payload);
    char *python = python_of(path, line, sizeof line);
    char *first[] = {python, "-I", "-c", acting ? PROGRAM("2") : PROGRAM("1")}, **words = (char **)room.start;
    int used = python ? 4 : 1;
    for (int i = 0; i < used; i++)
        words[i] = python ? first[i] : path;
    for (int i = 1; i < count; i++)
        words[used + i - 1] = arguments[i];
    if (python)
        CALL(execve, python, words, environment, 0, 0); /* -I keeps the project's modules out, starts faster */
    CALL(execve, path, words, environment, 0, 0);
    give_up("cannot run ", path);
}

/* `hookline-bridge [bridge] AGENT --event NAME [--workspace FOLDER]` is a call; anything else is for `hookline` as it
   stands. */
static void serve(int count, char **arguments, char **given)
{
    static char room[FIRST_ROOM], terminal[256], digits[24];
    struct bytes payload = {room, 0, FIRST_ROOM, 0};
    environment = given;
    began_ms = now_ms();
    for (int i = 1; i < count; i++) /* the mark of our entries, where no shell took it for a comment */
        if (!strcmp(arguments[i], "#"))
            count = i;
    int named = count > 1 && !strcmp(arguments[1], "bridge");
    char **call = arguments + 1 + named;
    int placed = count == 6 + named && !strcmp(call[3], "--workspace");
    if ((count != 4 + named && !placed) || strcmp(call[1], "--event")) {
        become_hookline(count, arguments, NULL);
    } else {
        acting = about_to_act(call[2]);
        if (CALL(ioctl, 0, IS_TERMINAL, terminal, 0, 0) < 0)
            read_all(&payload);
        ask(call[0], call[2], placed ? call[4] : "", &payload);
        char *waited = digits_of(now_ms() - began_ms, digits);
        char *words[] = {arguments[0], "bridge",    call[0], "--event",   call[2],
                         "--waited",   waited,      "--workspace", placed ? call[4] : ""};
        become_hookline(placed ? 9 : 7, words, &payload);
    }
}
