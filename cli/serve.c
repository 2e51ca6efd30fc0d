/* SPDX-License-Identifier: Apache-2.0 */
/* A server of one file (RFC 9110, RFC 9112), one connection at a time. */
#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "say.h"

enum { REQUEST_MAX = 8192, PATIENCE_S = 10 };

struct request {
	char method[8], path[256], host[64];
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

static bool parse(const char *head, struct request *ret)
{
	const char *host = strcasestr(head, "\r\nhost:");

	*ret = (struct request){ .host = "" };
	if (sscanf(head, "%7s %255s HTTP/1.", ret->method, ret->path) != 2)
		return false;
	if (host)
		sscanf(host + strlen("\r\nhost:"), " %63s", ret->host);
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

static bool answer(int to, const struct serve *serve, const char *status, uint64_t len)
{
	char head[600];
	int size = snprintf(head, sizeof(head),
			    "HTTP/1.1 %s\r\nContent-Length: %" PRIu64 "\r\nContent-Type: application/octet-stream\r\n"
			    "Access-Control-Allow-Origin: %s\r\nAccess-Control-Allow-Methods: GET, HEAD\r\n"
			    "Access-Control-Allow-Private-Network: true\r\nCache-Control: no-store\r\n"
			    "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
			    status, len, serve->origin);

	return size > 0 && (size_t)size < sizeof(head) && send_all(to, head, (size_t)size);
}

static bool send_file(int to, const struct serve *serve, uint64_t len)
{
	char block[1 << 16];
	uint64_t at = 0;

	while (at < len) {
		ssize_t got = pread(serve->file, block, sizeof(block), (off_t)at);

		if (got <= 0 || !send_all(to, block, (size_t)got))
			return false;
		at += (uint64_t)got;
	}
	return true;
}

/* Whether the client has all of the file now. */
static bool respond(int client, const struct serve *serve, uint16_t port)
{
	char head[REQUEST_MAX];
	struct request request;
	struct stat st;

	if (!read_head(client, head) || !parse(head, &request) || fstat(serve->file, &st) != 0)
		return false;
	if (!is_here(&request, port))
		answer(client, serve, "403 Forbidden", 0);
	else if (strcmp(request.method, "OPTIONS") == 0)
		answer(client, serve, "204 No Content", 0);
	else if (strcmp(request.method, "GET") != 0 && strcmp(request.method, "HEAD") != 0)
		answer(client, serve, "405 Method Not Allowed", 0);
	else if (request.path[0] != '/' || strcmp(request.path + 1, serve->name) != 0)
		answer(client, serve, "404 Not Found", 0);
	else if (answer(client, serve, "200 OK", (uint64_t)st.st_size) && request.method[0] == 'G')
		return send_file(client, serve, (uint64_t)st.st_size);
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

static void take_connections(int server, const struct serve *serve, uint16_t port)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	bool done = false;

	while (!done) {
		int client = accept4(server, NULL, NULL, SOCK_CLOEXEC);

		if (client < 0 && errno != EINTR && errno != ECONNABORTED)
			return;
		if (client < 0)
			continue;
		setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		done = respond(client, serve, port);
		shutdown(client, SHUT_WR);
		close(client);
	}
}

int serve_file(const struct serve *serve)
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
