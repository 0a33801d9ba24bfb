// Makes every fsync take 2 ms longer while a file exists, for benchmarks of slow disks.
// with-postgres.sh builds this library and preloads it into the server on request.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int slow(const char *name, int fd) {
	const char *file = getenv("SLOW_SYNC_FILE");
	if (file && access(file, F_OK) == 0) {
		struct timespec longer = {0, 2000000};
		nanosleep(&longer, NULL);
	}
	int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
	return sync(fd);
}

int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
