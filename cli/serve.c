/* SPDX-License-Identifier: Apache-2.0 */
/* A server of files (RFC 9110, RFC 9112): connections wait beside each other, and are answered one at a time. */
#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "say.h"

enum { REQUEST_MAX = 8192, PATIENCE_S = 10, CLIENTS = 32 };

struct request {
	char method[8], path[256], host[64];
	uint64_t first, last; /* bytes that are asked for */
	bool part;
};

/* Connections on which nothing was asked yet: browsers open some ahead. */
struct clients {
	struct pollfd polls[1 + CLIENTS]; /* the server's first */
	nfds_t len;
};

static bool send_all(int to, const char *data, size_t len)
{
	while (len) {
		ssize_t sent = send(to, data, len, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		data += sent;
		len -= (size_t)sent;
	}
	return true;
}

/* The head of a request, terminated; false where the client is gone, too slow, or says too much. */
static bool read_head(int from, char *ret)
{
	size_t len = 0;

	while (len < REQUEST_MAX - 1) {
		ssize_t got = recv(from, ret + len, REQUEST_MAX - 1 - len, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		len += (size_t)got;
		ret[len] = '\0';
		if (strstr(ret, "\r\n\r\n"))
			return true;
	}
	return false;
}

/* Range: bytes=A-B or A-. Of anything else the whole is sent, as a server may. */
static void parse_range(const char *head, struct request *ret)
{
	const char *range = strcasestr(head, "\r\nrange:");
	char *end;

	if (!range)
		return;
	range += strlen("\r\nrange:");
	range += strspn(range, " ");
	if (strncmp(range, "bytes=", 6) != 0 || range[6] < '0' || range[6] > '9')
		return;
	ret->first = strtoull(range + 6, &end, 10);
	if (*end != '-')
		return;
	ret->last = end[1] >= '0' && end[1] <= '9' ? strtoull(end + 1, &end, 10) : UINT64_MAX;
	ret->part = ret->first <= ret->last;
}

static bool parse(const char *head, struct request *ret)
{
	const char *host = strcasestr(head, "\r\nhost:");

	*ret = (struct request){ .host = "" };
	if (sscanf(head, "%7s %255s HTTP/1.", ret->method, ret->path) != 2)
		return false;
	if (host)
		sscanf(host + strlen("\r\nhost:"), " %63s", ret->host);
	parse_range(head, ret);
	return true;
}

/* A page elsewhere may name this machine by a name of its own (DNS rebinding): such a request has that name as its host. */
static bool is_here(const struct request *request, uint16_t port)
{
	char here[2][32];

	snprintf(here[0], sizeof(here[0]), "127.0.0.1:%u", port);
	snprintf(here[1], sizeof(here[1]), "localhost:%u", port);
	return strcmp(request->host, here[0]) == 0 || strcmp(request->host, here[1]) == 0;
}

/* What a page from elsewhere needs to be told, to read what is served. */
static void allow_origin(const char *origin, char *ret, size_t cap)
{
	ret[0] = '\0';
	if (origin)
		snprintf(ret, cap,
			 "Access-Control-Allow-Origin: %s\r\nAccess-Control-Allow-Methods: GET, HEAD\r\n"
			 "Access-Control-Allow-Private-Network: true\r\n", origin);
}

/* more: further lines of the head, or "". */
static bool answer(int to, const struct serve *serve, const char *status, const char *type, uint64_t len, const char *more)
{
	char head[800], allow[300];
	int size;

	allow_origin(serve->origin, allow, sizeof(allow));
	size = snprintf(head, sizeof(head),
			"HTTP/1.1 %s\r\nContent-Length: %" PRIu64 "\r\nContent-Type: %s\r\nAccept-Ranges: bytes\r\n%s%s"
			"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
			status, len, type, allow, more);
	return size > 0 && (size_t)size < sizeof(head) && send_all(to, head, (size_t)size);
}

static bool send_bytes(int to, int file, uint64_t at, uint64_t end)
{
	char block[1 << 16];

	while (at < end) {
		ssize_t got = pread(file, block, end - at < sizeof(block) ? (size_t)(end - at) : sizeof(block), (off_t)at);

		if (got <= 0 || !send_all(to, block, (size_t)got))
			return false;
		at += (uint64_t)got;
	}
	return true;
}

static const struct served_file *find_file(const struct serve *serve, const char *path)
{
	for (size_t i = 0; i < serve->count; i++) {
		if (path[0] == '/' && strcmp(path + 1, serve->files[i].name) == 0)
			return &serve->files[i];
	}
	return NULL;
}

/* Whether the client has all of the file now. */
static bool send_file(int client, const struct serve *serve, const struct request *request, const struct served_file *file)
{
	bool wants_body = request->method[0] == 'G', all = !request->part;
	uint64_t len, first = 0, end;
	char range[100] = "";
	struct stat st;

	if (fstat(file->file, &st) != 0)
		return false;
	end = len = (uint64_t)st.st_size;
	if (request->part && request->first >= len) {
		snprintf(range, sizeof(range), "Content-Range: bytes */%" PRIu64 "\r\n", len);
		answer(client, serve, "416 Range Not Satisfiable", file->type, 0, range);
		return false;
	}
	if (request->part) {
		first = request->first;
		end = request->last < len ? request->last + 1 : len;
		snprintf(range, sizeof(range), "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n", first, end - 1, len);
	}
	return answer(client, serve, all ? "200 OK" : "206 Partial Content", file->type, end - first, range) && wants_body &&
	       send_bytes(client, file->file, first, end) && all;
}

/* Whether that was all of the first file. */
static bool respond(int client, const struct serve *serve, uint16_t port)
{
	static const char *const text = "text/plain";
	const struct served_file *file;
	struct request request;
	char head[REQUEST_MAX];

	if (!read_head(client, head) || !parse(head, &request))
		return false;
	file = find_file(serve, request.path);
	if (!is_here(&request, port))
		answer(client, serve, "403 Forbidden", text, 0, "");
	else if (strcmp(request.method, "OPTIONS") == 0)
		answer(client, serve, "204 No Content", text, 0, "");
	else if (strcmp(request.method, "GET") != 0 && strcmp(request.method, "HEAD") != 0)
		answer(client, serve, "405 Method Not Allowed", text, 0, "");
	else if (!file)
		answer(client, serve, "404 Not Found", text, 0, "");
	else
		return send_file(client, serve, &request, file) && file == serve->files;
	return false;
}

static int listen_here(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int one = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (server < 0)
		return -1;
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(server, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(server, 4) == 0 &&
	    getsockname(server, (struct sockaddr *)&address, &len) == 0) {
		*port = ntohs(address.sin_port);
		return server;
	}
	close(server);
	return -1;
}

/* The one that waits longest makes room for a new one. */
static void drop_client(struct clients *clients, nfds_t i)
{
	close(clients->polls[i].fd);
	memmove(&clients->polls[i], &clients->polls[i + 1], (clients->len - i - 1) * sizeof(clients->polls[0]));
	clients->len--;
}

/* False where no more can be taken. */
static bool take_client(struct clients *clients)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int client = accept4(clients->polls[0].fd, NULL, NULL, SOCK_CLOEXEC);

	if (client < 0)
		return errno == EINTR || errno == ECONNABORTED;
	if (clients->len == 1 + CLIENTS)
		drop_client(clients, 1);
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	clients->polls[clients->len++] = (struct pollfd){ .fd = client, .events = POLLIN };
	return true;
}

static void take_connections(int server, const struct serve *serve, uint16_t port)
{
	struct clients clients = { .polls = { { .fd = server, .events = POLLIN } }, .len = 1 };
	bool done = false;

	while (!done) {
		if (poll(clients.polls, clients.len, -1) < 0 && errno != EINTR)
			break;
		for (nfds_t i = clients.len; i-- > 1 && !done;) {
			if (!clients.polls[i].revents)
				continue;
			done = respond(clients.polls[i].fd, serve, port) && serve->once;
			shutdown(clients.polls[i].fd, SHUT_WR);
			drop_client(&clients, i);
		}
		if (!done && clients.polls[0].revents && !take_client(&clients))
			break;
	}
	while (clients.len > 1)
		drop_client(&clients, 1);
}

int serve_files(const struct serve *serve)
{
	uint16_t port = serve->port;
	int server = listen_here(&port);

	if (server < 0) {
		say("cannot serve on 127.0.0.1:%u: %s", serve->port, strerror(errno));
		return EXIT_FAILED;
	}
	serve->said(serve, port);
	take_connections(server, serve, port);
	close(server);
	return EXIT_DONE;
}
