/* Lets the N-th write below a folder fail, as disks do: no space left, an input/output error, or half of the bytes.

Loaded with LD_PRELOAD; `fault_arm` says which write it is. What is counted: writes, syncs, truncations, renames, links,
unlinks, and files that are made. Nothing outside of the folder fails. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { NO_SPACE, IO_ERROR, SHORT };

static char root[4096];
static long at, count;
static int kind, forever;

void fault_arm(const char *folder, long number, int what, int from_then_on)
{
    strncpy(root, folder, sizeof root - 1);
    at = number, kind = what, forever = from_then_on, count = 0;
}

long fault_count(void) { return count; }

static int is_below(const char *path) { return root[0] && path && strncmp(path, root, strlen(root)) == 0; }

static int is_open_below(int file)
{
    char link[64], path[4096];
    if (!root[0])
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_below(path);
}

/* Return whether this write is one that fails; a short one fails only where it can be short. */
static int fails(int can_be_short)
{
    long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (!at || (forever ? number < at : number != at))
        return 0;
    if (kind == SHORT && !can_be_short)
        return 0;
    errno = kind == NO_SPACE ? ENOSPC : EIO;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *data, size_t size)
{
    if (is_open_below(file) && fails(1))
        return kind == SHORT && size > 1 ? REAL(write)(file, data, size / 2) : kind == SHORT ? (ssize_t)REAL(write)(file, data, size) : -1;
    return REAL(write)(file, data, size);
}

static ssize_t written(int file, const void *data, size_t size, off64_t place)
{
    if (is_open_below(file) && fails(1)) {
        if (kind != SHORT)
            return -1;
        size = size > 1 ? size / 2 : size;
    }
    return REAL(pwrite64)(file, data, size, place);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t place) { return written(file, data, size, place); }
ssize_t pwrite(int file, const void *data, size_t size, off_t place) { return written(file, data, size, place); }

int fsync(int file) { return is_open_below(file) && fails(0) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return is_open_below(file) && fails(0) ? -1 : REAL(fdatasync)(file); }
int ftruncate64(int file, off64_t size) { return is_open_below(file) && fails(0) ? -1 : REAL(ftruncate64)(file, size); }
int ftruncate(int file, off_t size) { return is_open_below(file) && fails(0) ? -1 : REAL(ftruncate)(file, size); }
int rename(const char *from, const char *to) { return is_below(to) && fails(0) ? -1 : REAL(rename)(from, to); }
int link(const char *from, const char *to) { return is_below(to) && fails(0) ? -1 : REAL(link)(from, to); }
int unlink(const char *path) { return is_below(path) && fails(0) ? -1 : REAL(unlink)(path); }

static int makes(const char *path, int flags)
{
    return (flags & O_CREAT) && is_below(path) && access(path, F_OK) != 0 && fails(0);
}

#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        int mode = va_arg(more, int);                                                                                  \
        va_end(more);                                                                                                  \
        return makes(path, flags) ? -1 : REAL(name)(path, flags, mode);                                                \
    }

OPENS(open)
OPENS(open64)
