/* SPDX-License-Identifier: Apache-2.0 */
#include "tty.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool tty_color(const char *when)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when && strcmp(when, "always") == 0)
		return true;
	if (when && strcmp(when, "never") == 0)
		return false;
	if (no_color && *no_color)
		return false;
	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

bool tty_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	/* The first that is not empty counts. */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && (!value || !*value); i++)
		value = getenv(names[i]);
	return value && (strcasestr(value, "UTF-8") || strcasestr(value, "utf8"));
}

/* Whether a program is in $PATH. */
static bool installed(const char *program)
{
	const char *path = getenv("PATH");
	char file[1024];

	while (path && *path) {
		size_t len = strcspn(path, ":");
		int n = snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, program);

		if (n > 0 && (size_t)n < sizeof(file) && access(file, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* The pager's command line, or NULL. */
static const char *pager_command(void)
{
	const char *command = getenv("SIGHTLINE_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = installed("less") ? "less -FRSX" : "";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* The reader has left: so do we, when its terminal is tidy again. */
static void on_sigpipe(int signal)
{
	(void)signal;
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static void run_pager(const char *command, const int fds[2])
{
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	setenv("LESS", "FRSX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager_start(struct pager *pager)
{
	const char *command = pager_command();
	int fds[2];

	pager->pid = 0;
	if (!command || pipe(fds) != 0)
		return;
	fflush(stdout);
	pager->pid = fork();
	if (pager->pid == 0)
		run_pager(command, fds);
	if (pager->pid > 0) {
		dup2(fds[1], STDOUT_FILENO);
		signal(SIGPIPE, on_sigpipe);
		signal(SIGINT, SIG_IGN); /* it is the pager's: less stops searching */
	} else {
		pager->pid = 0;
	}
	close(fds[0]);
	close(fds[1]);
}

void pager_wait(struct pager *pager)
{
	if (!pager->pid)
		return;
	fclose(stdout);
	waitpid(pager->pid, NULL, 0);
	pager->pid = 0;
	signal(SIGINT, SIG_DFL);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void progress_init(struct progress *progress, bool wanted, bool fake)
{
	bool console = isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();

	*progress =
		(struct progress){ .on = wanted && (console || fake), .at_once = fake, .start = seconds() };
	progress->next = progress->start + 1;
}

void progress_update(void *ctx, uint64_t done_bytes, uint64_t total_bytes)
{
	struct progress *p = ctx;
	double now, elapsed, mega = (double)done_bytes / 1e6;

	if (!p->on)
		return;
	now = seconds();
	if (now < p->next && !p->at_once)
		return;
	elapsed = now - p->start;
	fprintf(stderr, "\rsightline: %3.0f %% of %.1f MB, %.1f MB/s\033[K",
		total_bytes ? 100 * (double)done_bytes / (double)total_bytes : 100, (double)total_bytes / 1e6,
		elapsed > 0 ? mega / elapsed : 0);
	p->shown = true;
	p->next = now + 0.25;
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
