/* Hands a bridged call to the resident process; whenever nobody takes it, becomes `hookline bridge`.
 *
 * The same as hookline/system/bridge_client.py without Python's start-up. The layout of the bytes is
 * described in hookline/hosts/resident_frames.py. HOOKLINE_VERSION is set when this is compiled.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef HOOKLINE_VERSION
#define HOOKLINE_VERSION "?"
#endif
#define TAKE_MS 1000   /* how long the resident may take to say that it works on the call */
#define MARGIN_MS 500  /* how much later than promised an answer may come */

extern char **environ;

struct bytes {
    char *start;
    size_t size, room;
};

static int add(struct bytes *to, const void *from, size_t size)
{
    if (to->size + size > to->room) {
        size_t room = (to->size + size) * 2 + 4096;
        char *start = realloc(to->start, room);
        if (!start)
            return -1;
        to->start = start;
        to->room = room;
    }
    memcpy(to->start + to->size, from, size);
    to->size += size;
    return 0;
}

static int read_all(int handle, struct bytes *into)
{
    char chunk[65536];
    for (;;) {
        ssize_t got = read(handle, chunk, sizeof chunk);
        if (got == 0)
            return 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || add(into, chunk, (size_t)got))
            return -1;
    }
}

static int write_all(int handle, const char *from, size_t size)
{
    while (size) {
        ssize_t put = write(handle, from, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        from += put;
        size -= (size_t)put;
    }
    return 0;
}

static int64_t now_ms(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

/* Exactly `size` bytes before `end`: 0, -1 when the other side went away, -2 when it was too late. */
static int receive(int handle, char *into, size_t size, int64_t end)
{
    while (size) {
        int64_t left = end - now_ms();
        struct pollfd wait = {handle, POLLIN, 0};
        if (left <= 0)
            return -2;
        int ready = poll(&wait, 1, left > 1000000000 ? 1000000000 : (int)left);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            return -1;
        if (ready == 0)
            continue;
        ssize_t got = recv(handle, into, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        into += got;
        size -= (size_t)got;
    }
    return 0;
}

/* A connection to this user's own resident, or -1. */
static int connect_resident(void)
{
    char folder[4096];
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = state && state[0] == '/'
                     ? snprintf(folder, sizeof folder, "%s/hookline/resident", state)
                     : snprintf(folder, sizeof folder, "%s/.local/state/hookline/resident", home ? home : "");
    if (length < 0 || (size_t)length >= sizeof folder)
        return -1;
    int place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place < 0)
        return -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", place);
    int handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {TAKE_MS / 1000, 0};
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (handle >= 0) {
        setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (connect(handle, (struct sockaddr *)&address, sizeof address) ||
            getsockopt(handle, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid()) {
            close(handle);
            handle = -1;
        }
    }
    close(place);
    return handle;
}

static int send_request(int handle, const char *agent, const char *event, const struct bytes *payload)
{
    struct bytes block = {0, 0, 0};
    char directory[4096];
    uint32_t count = 5, numbers[3];
    if (!getcwd(directory, sizeof directory))
        strcpy(directory, "/");
    const char *first[] = {HOOKLINE_VERSION, agent, event, "", directory};
    for (int i = 0; i < 5; i++)
        if (add(&block, first[i], strlen(first[i]) + 1))
            return -1;
    for (char **each = environ; *each; each++, count++)
        if (add(&block, *each, strlen(*each) + 1))
            return -1;
    numbers[0] = count;
    numbers[1] = (uint32_t)block.size;
    numbers[2] = (uint32_t)payload->size;
    char head[16];
    memcpy(head, "HKL1", 4);
    memcpy(head + 4, numbers, 12);
    struct bytes all = {0, 0, 0};
    if (add(&all, head, sizeof head) || add(&all, block.start, block.size) ||
        (payload->size && add(&all, payload->start, payload->size)))
        return -1;
    return write_all(handle, all.start, all.size);
}

/* Writes the resident's answer and leaves; comes back when there is none. */
static void ask(const char *agent, const char *event, const struct bytes *payload)
{
    int handle = connect_resident();
    char word[5], head[13];
    uint32_t wait_ms, numbers[3];
    if (handle < 0)
        return;
    if (send_request(handle, agent, event, payload) ||
        receive(handle, word, sizeof word, now_ms() + TAKE_MS) || word[0] != 'T') {
        close(handle);
        return;
    }
    memcpy(&wait_ms, word + 1, 4);
    int64_t end = now_ms() + wait_ms + MARGIN_MS;
    int failed = receive(handle, head, sizeof head, end);
    char *out = NULL;
    if (!failed) {
        memcpy(numbers, head + 1, 12);
        out = malloc((size_t)numbers[1] + numbers[2] + 1);
        failed = out ? receive(handle, out, (size_t)numbers[1] + numbers[2], end) : -1;
    }
    if (failed == -2) {
        static const char late[] =
            "hookline: the resident process did not answer in time; no hook's opinion was heard\n";
        write_all(2, late, sizeof late - 1);
        _exit(0);
    }
    if (failed) {
        close(handle);
        free(out);
        return;
    }
    write_all(2, out + numbers[1], numbers[2]);
    write_all(1, out, numbers[1]);
    _exit((int)numbers[0]);
}

/* The Python that the first line of the script `hookline` names, or NULL. */
static char *python_of(const char *script, char *line, size_t room)
{
    int handle = open(script, O_RDONLY | O_CLOEXEC);
    ssize_t got = handle < 0 ? -1 : read(handle, line, room - 1);
    if (handle >= 0)
        close(handle);
    if (got < 3 || line[0] != '#' || line[1] != '!' || line[2] != '/')
        return NULL;
    line[got] = 0;
    line[strcspn(line, " \t\r\n")] = 0;
    char *name = strrchr(line, '/');
    return strncmp(name, "/python", 7) ? NULL : line + 2;
}

/* `hookline` stands beside this program; it gets the payload, when there is one, on its standard input. */
static void become_hookline(int count, char **arguments, const struct bytes *payload)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    int given = payload ? memfd_create("payload", 0) : 0;
    char **words = calloc((size_t)count + 5, sizeof *words);
    if (length > 0 && words) {
        path[length] = 0;
        char *slash = strrchr(path, '/');
        strcpy(slash ? slash + 1 : path, "hookline");
    }
    if (length <= 0 || !words || given < 0 ||
        (payload && (write_all(given, payload->start, payload->size) || lseek(given, 0, SEEK_SET) < 0 ||
                     dup2(given, 0) < 0))) {
        fprintf(stderr, "hookline-bridge: cannot hand over the call: %s\n", strerror(errno));
        _exit(0); /* a defect of ours is no opinion */
    }
    char line[1024], *python = python_of(path, line, sizeof line);
    char *first[] = {python, "-I", "-m", "hookline"};
    int used = python ? 4 : 1;
    for (int i = 0; i < used; i++)
        words[i] = python ? first[i] : path;
    for (int i = 1; i < count; i++)
        words[used + i - 1] = arguments[i];
    if (python)
        execv(python, words); /* -I keeps the project's own modules out, and starts faster */
    execv(path, words);
    fprintf(stderr, "hookline-bridge: cannot run `%s`: %s\n", path, strerror(errno));
    _exit(0);
}

/* `hookline-bridge [bridge] AGENT --event NAME` is a call; anything else is for `hookline` as it stands. */
int main(int count, char **arguments)
{
    struct bytes payload = {0, 0, 0};
    int named = count > 1 && !strcmp(arguments[1], "bridge");
    char **call = arguments + 1 + named;
    if (count != 4 + named || strcmp(call[1], "--event")) {
        become_hookline(count, arguments, NULL);
    } else {
        char *words[] = {arguments[0], "bridge", call[0], "--event", call[2]};
        if (!isatty(0))
            read_all(0, &payload);
        ask(call[0], call[2], &payload);
        become_hookline(5, words, &payload);
    }
}
