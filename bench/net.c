/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Request and response over loopback, one byte each way, one transaction in flight. Both sockets are made
 * before the partner is forked, so there is no start to wait for.
 */
#include "bench/workload.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct net {
	int client, server;
	struct sockaddr_in to; /* the server's address */
	pid_t partner;
};

static struct net *net_new(struct bench_env *e)
{
	struct net *n = calloc(1, sizeof(*n));
	if (n)
		n->client = n->server = -1;
	e->data = n;
	return n;
}

void net_teardown(struct bench_env *e)
{
	struct net *n = e->data;
	if (!n)
		return;
	partner_end(n->partner);
	if (n->client >= 0)
		close(n->client);
	if (n->server >= 0)
		close(n->server);
	free(n);
	e->data = NULL;
}

/* A socket bound to a free port of 127.0.0.1; its address in *at. Negative errno on failure. */
static int bound_socket(int type, struct sockaddr_in *at)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	*at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(*at);
	if (bind(fd, (struct sockaddr *)at, len) != 0 || getsockname(fd, (struct sockaddr *)at, &len) != 0) {
		int err = errno;
		close(fd);
		return -err;
	}
	return fd;
}

/* Forks the partner and leaves each side its own socket. */
static int net_fork(struct net *n, void (*serve)(int fd))
{
	n->partner = partner_fork();
	if (n->partner == 0) {
		close(n->client);
		serve(n->server);
		_exit(1);
	}
	if (n->partner < 0)
		return n->partner;
	close(n->server);
	n->server = -1;
	return 0;
}

/* Both transports: the sockets are connected, so that no call has to look a route up anew. */
static void rr_serve(int fd)
{
	char byte;
	while (recv(fd, &byte, 1, 0) == 1 && send(fd, &byte, 1, MSG_NOSIGNAL) == 1)
		;
}

/* Loopback finishes the handshake before accept(2), so one process can do both ends. */
static int tcp_connect(struct net *n, int listener)
{
	if (listen(listener, 1) != 0)
		return -errno;
	n->client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (n->client < 0 || connect(n->client, (struct sockaddr *)&n->to, sizeof(n->to)) != 0)
		return -errno;
	n->server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return n->server < 0 ? -errno : 0;
}

int tcp_rr_setup(struct bench_env *e)
{
	struct net *n = net_new(e);
	if (!n)
		return -ENOMEM;
	int listener = bound_socket(SOCK_STREAM, &n->to);
	if (listener < 0)
		return listener;
	int err = tcp_connect(n, listener);
	close(listener);
	return err ? err : net_fork(n, rr_serve);
}

int udp_rr_setup(struct bench_env *e)
{
	struct net *n = net_new(e);
	struct sockaddr_in own;
	if (!n)
		return -ENOMEM;
	n->server = bound_socket(SOCK_DGRAM, &n->to);
	if (n->server < 0)
		return n->server;
	n->client = bound_socket(SOCK_DGRAM, &own);
	if (n->client < 0)
		return n->client;
	if (connect(n->client, (struct sockaddr *)&n->to, sizeof(n->to)) != 0 ||
	    connect(n->server, (struct sockaddr *)&own, sizeof(own)) != 0)
		return -errno;
	return net_fork(n, rr_serve);
}

int net_rr_run(struct bench_env *e, uint64_t ops)
{
	const struct net *n = e->data;
	char byte = 0;
	for (uint64_t i = 0; i < ops; i++) {
		if (send(n->client, &byte, 1, MSG_NOSIGNAL) != 1)
			return -errno;
		ssize_t got = recv(n->client, &byte, 1, 0);
		if (got != 1)
			return got < 0 ? -errno : -EPIPE;
	}
	return 0;
}
