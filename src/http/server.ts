// Assembles the HTTP server: connections (connection/) deliver requests, the dispatcher
// (serving/dispatcher.ts) serves each, and draining waits for those in flight. `node:http` with our
// own route table: a framework would cost more per request than all other work on it
// (docs/decisions).

import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { DirectListener } from './connection/direct/direct-listener.ts';
import { closeIdleSockets, closeIfStillIdle } from './connection/idle-sockets.ts';
import { serveNodeRequests } from './connection/node-requests.ts';
import { createNodeServer, type NodeServer } from './connection/node-server.ts';
import { refuseUnreadable } from './connection/refuse-unreadable.ts';
import { SlowClients } from './connection/slow-clients.ts';
import type { RequestSource } from './request/request-head.ts';
import type { Outgoing } from './response/outgoing.ts';
import { HostCheck } from './security/host-check.ts';
import type { RunningServer, ServerOptions } from './server-options.ts';
import { Dispatcher, type ServerLoad } from './serving/dispatcher.ts';
import { RequestsInFlight } from './serving/requests-in-flight.ts';
import { OpenStreams } from './streams/open-streams.ts';

/** Takes the port, and refuses requests with `request/starting` until `open` is called. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { authenticator, limits, tls, wallClock = Date.now } = options;
  const node = createNodeServer(limits, tls);
  const { server } = node;
  const inFlight = new RequestsInFlight(limits.maxRequestsInFlight);
  const openStreams = new OpenStreams(limits, wallClock, inFlight);
  if (authenticator !== undefined) authenticator.onReplaced = () => openStreams.endForLogins();
  const slowClients = new SlowClients(limits);
  const longBodies = new WeakSet<Socket>();
  const load = { inFlight, openStreams, slowClients, longBodies };
  const dispatcher = new Dispatcher(options, load);
  const serve = (incoming: RequestSource, outgoing: Outgoing): void =>
    void dispatcher.serve(incoming, outgoing);
  // Must come before all other connection listeners. With TLS, Node handles all connections.
  const isDirect = tls === undefined && options.reading !== 'node';
  const direct = isDirect
    ? new DirectListener(server, { ...options, ...limits, serve })
    : undefined;
  serveNodeRequests(server, serve);
  refuseUnreadable(server, { maxUrlBytes: limits.maxUrlBytes, direct, longBodies });
  server.on('timeout', closeIfStillIdle);
  const mayBeIdle = (socket: Socket): boolean => openStreams.has(socket);
  const stopClosingIdle = closeIdleSockets(server, limits.idleSocketMs, slowClients, mayBeIdle);
  await listen(server, options);
  const { port } = server.address() as AddressInfo; // listening on TCP, so never a pipe
  const { advertised = [], allowedHosts: allowed = [], host: bound, publicUrl = '' } = options;
  const hosts = { bound, port, scheme: node.scheme, allowed };
  dispatcher.serveAs(new HostCheck({ ...hosts, advertised: [...advertised, publicUrl] }));
  const disconnectAll = (): void => {
    stopClosingIdle();
    direct?.close();
    server.closeAllConnections();
  };
  return toRunningServer(node, port, { ...load, dispatcher }, disconnectAll);
}

function listen(server: Server, { host, limits, port }: ServerOptions): Promise<void> {
  // Connections that come while the process is busy wait in the kernel's queue. When it is full
  // their packets are dropped, and clients retry after 1, 3, 7, … seconds.
  const backlog = limits.maxConnections;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function toRunningServer(
  { replaceTls, scheme, server }: NodeServer,
  port: number,
  { dispatcher, inFlight, openStreams }: ServerLoad & { readonly dispatcher: Dispatcher },
  disconnectAll: () => void,
): RunningServer {
  return {
    port,
    scheme,
    get requestsInFlight() {
      return inFlight.count;
    },
    get requestsWaiting() {
      return inFlight.waiting;
    },
    get activeStreams() {
      return dispatcher.activeStreams;
    },
    get openStreams() {
      return openStreams.figures;
    },
    get requestsRefused() {
      return inFlight.refused;
    },
    replaceTls,
    open: () => inFlight.open(),
    drain: () => {
      openStreams.endForDrain();
      return inFlight.drain();
    },
    // Not the HTTP server's own close: that one also closes idle connections, whose next request
    // may be in transit.
    stopListening: () => void NetServer.prototype.close.call(server),
    close: () => {
      openStreams.endForDrain();
      return new Promise((resolve) => {
        server.close(() => resolve());
        disconnectAll();
      });
    },
  };
}
