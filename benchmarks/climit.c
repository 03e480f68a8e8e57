/* What running hooks costs at least: posix_spawn, own session, three pipes, pidfd, deadline, one poll loop.
 *
 *   climit TOTAL IN_FLIGHT PAYLOAD_BYTES PIPE_BYTES OUTPUT_BYTES PROGRAM [ARGUMENT...]
 *
 * Runs PROGRAM TOTAL times, IN_FLIGHT at once, feeds each PAYLOAD_BYTES, reads both outputs to their end,
 * reaps, and prints the seconds it took. Exits 1 when a program fails or its output is not OUTPUT_BYTES long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IN, OUT, ERR, END, ENDS };

struct run {
    pid_t pid;
    int fd[ENDS];
    size_t sent, got, room;
    char *output;
    double deadline;
};

extern char **environ;
static size_t payload_size, pipe_size, wanted;
static char *payload, **program;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "climit: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void shut(struct run *r, int end) {
    close(r->fd[end]);
    r->fd[end] = -1;
}

static void feed(struct run *r) {
    while (r->sent < payload_size) {
        ssize_t n = write(r->fd[IN], payload + r->sent, payload_size - r->sent);
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) break; /* nobody reads */
        r->sent += n;
    }
    shut(r, IN);
}

static void start(struct run *r) {
    int in[2], out[2], err[2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    r->deadline = now() + 30;
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) fail("pipe2");
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    if (pipe_size) {
        fcntl(in[1], F_SETPIPE_SZ, pipe_size);
        fcntl(out[0], F_SETPIPE_SZ, pipe_size);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    if (posix_spawnp(&r->pid, program[0], &actions, &attributes, program, environ)) fail("posix_spawnp");
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    r->fd[IN] = in[1];
    r->fd[OUT] = out[0];
    r->fd[ERR] = err[0];
    if ((r->fd[END] = syscall(SYS_pidfd_open, r->pid, 0)) < 0) fail("pidfd_open");
    fcntl(r->fd[END], F_SETFD, FD_CLOEXEC);
    r->sent = r->got = 0;
    feed(r);
}

static void take(struct run *r, int end) {
    for (;;) {
        if (r->room - r->got < 65536) r->output = realloc(r->output, r->room = r->room * 2 + 131072);
        ssize_t n = read(r->fd[end], r->output + r->got, r->room - r->got);
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) break;
        r->got += n;
    }
    shut(r, end);
}

static int finish(struct run *r) { /* 1 when it is over */
    int status;
    if (r->fd[OUT] >= 0 || r->fd[ERR] >= 0 || r->fd[END] >= 0) return 0;
    if (waitpid(r->pid, &status, 0) != r->pid || status != 0) fail("the program failed");
    if (r->got != wanted) fail("wrong output");
    if (r->fd[IN] >= 0) shut(r, IN);
    return 1;
}

static void turn(struct run *runs, int count, struct pollfd *polls) {
    double first = 1e18;
    for (int i = 0; i < count; i++) {
        if (runs[i].deadline < first) first = runs[i].deadline;
        for (int end = 0; end < ENDS; end++)
            polls[i * ENDS + end] = (struct pollfd){runs[i].fd[end], end == IN ? POLLOUT : POLLIN, 0};
    }
    int left_ms = (first - now()) * 1000;
    if (poll(polls, count * ENDS, left_ms < 0 ? 0 : left_ms) == 0) fail("time-out");
    for (int i = 0; i < count; i++)
        for (int end = 0; end < ENDS; end++) {
            if (!polls[i * ENDS + end].revents || runs[i].fd[end] < 0) continue;
            if (end == IN) feed(&runs[i]);
            else if (end == END) shut(&runs[i], END);
            else take(&runs[i], end);
        }
}

int main(int argc, char **argv) {
    if (argc < 7) return 2;
    int total = atoi(argv[1]), flight = atoi(argv[2]), begun = 0, live = 0;
    payload_size = atol(argv[3]);
    pipe_size = atol(argv[4]);
    wanted = atol(argv[5]);
    program = argv + 6;
    payload = malloc(payload_size + 1);
    memset(payload, 'x', payload_size);
    struct run *runs = calloc(flight, sizeof *runs);
    struct pollfd *polls = calloc((size_t)flight * ENDS, sizeof *polls);
    signal(SIGPIPE, SIG_IGN);
    double began = now();
    while (begun < total || live) {
        while (live < flight && begun < total) start(&runs[live++]), begun++;
        turn(runs, live, polls);
        for (int i = 0; i < live;)
            if (finish(&runs[i])) {
                struct run spare = runs[i];
                runs[i] = runs[--live];
                runs[live] = spare;
            } else
                i++;
    }
    printf("%.9f\n", now() - began);
    return 0;
}
