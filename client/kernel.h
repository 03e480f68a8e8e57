/* The kernel, called directly: with WITHOUT_LIBC this program has no C library at all.
 *
 * In a virtual machine a C library asks the processor what it can do, which traps some thirty times: its
 * start takes longer than everything else that the client does. Elsewhere the same calls go through it.
 * Every call returns what the kernel does: a result, or minus an error number; a sixth argument is always 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void serve(int count, char **arguments, char **environment);

#ifndef WITHOUT_LIBC

static long ask_kernel(long number, long a, long b, long c, long d, long e)
{
    long result = syscall(number, a, b, c, d, e, 0L);
    return result == -1 ? -errno : result;
}

int main(int count, char **arguments, char **environment)
{
    serve(count, arguments, environment);
}

#else

static long ask_kernel(long number, long a, long b, long c, long d, long e)
{
#if defined(__x86_64__)
    long result;
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long code __asm__("x8") = number, first __asm__("x0") = a, second __asm__("x1") = b;
    register long third __asm__("x2") = c, fourth __asm__("x3") = d, fifth __asm__("x4") = e;
    register long sixth __asm__("x5") = 0;
    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(code), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "memory");
    return first;
#else
#error "this processor needs its C library"
#endif
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#else
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x30, #0\n mov x0, sp\n bl begin\n");
#endif

/* The stack as the kernel leaves it: how many arguments, these, a null, the environment, a null. */
__attribute__((used)) void begin(long *stack)
{
    serve((int)stack[0], (char **)(stack + 1), (char **)(stack + 2 + stack[0]));
    for (;;)
        ask_kernel(SYS_exit_group, 0, 0, 0, 0, 0);
}

/* Compilers call these three by themselves, and must not make a call of their own out of a loop in them. */
#define AS_WRITTEN __asm__ volatile("" ::: "memory")

__attribute__((used)) void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        ((char *)to)[at] = ((const char *)from)[at];
        AS_WRITTEN;
    }
    return to;
}

__attribute__((used)) void *memset(void *to, int value, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        ((char *)to)[at] = (char)value;
        AS_WRITTEN;
    }
    return to;
}

__attribute__((used)) size_t strlen(const char *text)
{
    size_t size = 0;
    for (; text[size]; size++)
        AS_WRITTEN;
    return size;
}

int strncmp(const char *one, const char *other, size_t size)
{
    for (size_t at = 0; at < size; at++)
        if (one[at] != other[at] || !one[at])
            return one[at] - other[at];
    return 0;
}

int strcmp(const char *one, const char *other)
{
    return strncmp(one, other, SIZE_MAX);
}

#endif

#define CALL(name, a, b, c, d, e) \
    ask_kernel(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))
