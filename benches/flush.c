/* For LD_PRELOAD: simulates a slow or bad disk. Each flush of a file takes FLUSH_MICROSECONDS longer. After FLUSH_GOOD
   flushes, each flush fails. After WRITE_GOOD writes, the disk is full. While the file WRITE_FULL_WHILE exists, writes fail
   with the errno WRITE_ERROR, or as on a full disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static long setting(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

static int flush(const char *name, int file) {
    static atomic_long flushes;
    long good = setting("FLUSH_GOOD", -1);
    if (good >= 0 && atomic_fetch_add(&flushes, 1) >= good) {
        errno = EIO;
        return -1;
    }
    long slow = setting("FLUSH_MICROSECONDS", 0);
    if (slow > 0)
        usleep((useconds_t)slow);
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return real(file);
}

int fsync(int file) { return flush("fsync", file); }
int fdatasync(int file) { return flush("fdatasync", file); }

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
    static atomic_long writes;
    long good = setting("WRITE_GOOD", -1);
    if (good >= 0 && atomic_fetch_add(&writes, 1) >= good) {
        errno = ENOSPC;
        return -1;
    }
    const char *full = getenv("WRITE_FULL_WHILE");
    /* SQLite grows a file that it has just truncated by writing single bytes. There is always room for those. */
    if (full && length > 1 && access(full, F_OK) == 0) {
        errno = (int)setting("WRITE_ERROR", ENOSPC);
        return -1;
    }
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    return real(file, bytes, length, at);
}
