// Steps the clock of a PostgreSQL server, for test/chaos: the wall clock is ahead by as many
// seconds as the file CLOCK_STEP_FILE says, or right without the file. The test builds this
// library and preloads it into the server.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead(void) {
	const char *file = getenv("CLOCK_STEP_FILE");
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0) return 0;
	char text[32] = {0};
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	return n > 0 ? atol(text) : 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
	static int (*real)(struct timeval *, void *);
	if (!real) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
	int result = real(now, zone);
	if (result == 0) now->tv_sec += ahead();
	return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
	static int (*real)(clockid_t, struct timespec *);
	if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	int result = real(clock, now);
	if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += ahead();
	return result;
}
