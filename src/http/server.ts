// Assembles the HTTP server: connections (connection/) deliver requests, the dispatcher
// (serving/dispatcher.ts) serves each, and draining waits for those in flight. `node:http` with our
// own route table: a framework would cost more per request than all other work on it
// (docs/decisions).

import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { StreamFigures } from '../observe/program-metrics.ts';
import { DirectListener } from './connection/direct/direct-listener.ts';
import { closeIdleSockets, closeIfStillIdle } from './connection/idle-sockets.ts';
import { serveNodeRequests } from './connection/node-requests.ts';
import { createNodeServer, type NodeServer, type TlsMaterial } from './connection/node-server.ts';
import { refuseUnreadable } from './connection/refuse-unreadable.ts';
import { SlowClients } from './connection/slow-clients.ts';
import type { RequestSource } from './request/request-head.ts';
import type { Outgoing } from './response/outgoing.ts';
import { HostCheck } from './security/host-check.ts';
import type { RunningServer, ServerOptions } from './server-options.ts';
import { ActiveStreams } from './serving/active-streams.ts';
import { Dispatcher } from './serving/dispatcher.ts';
import { RequestsInFlight } from './serving/requests-in-flight.ts';
import { OpenStreams } from './streams/open-streams.ts';

/** Takes the port, and refuses requests with `request/starting` until `open` is called. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = new GridServer(options);
  await server.listen();
  return server;
}

class GridServer implements RunningServer {
  readonly #options: ServerOptions;
  readonly #node: NodeServer;
  readonly #server: Server;
  readonly #inFlight: RequestsInFlight;
  readonly #streams: ActiveStreams;
  readonly #openStreams: OpenStreams;
  readonly #dispatcher: Dispatcher;
  /** Undefined if Node handles all connections, as with TLS. */
  readonly #direct: DirectListener | undefined;
  readonly #stopClosingIdle: () => void;

  constructor(options: ServerOptions) {
    const { authenticator, limits, tls, wallClock = Date.now } = options;
    this.#options = options;
    this.#node = createNodeServer(limits, tls);
    this.#server = this.#node.server;
    this.#inFlight = new RequestsInFlight(limits.maxRequestsInFlight);
    this.#streams = new ActiveStreams(limits);
    this.#openStreams = new OpenStreams(limits, wallClock, this.#inFlight);
    if (authenticator !== undefined) {
      authenticator.onReplaced = () => this.#openStreams.endForLogins();
    }
    const slowClients = new SlowClients(limits);
    const longBodies = new WeakSet<Socket>();
    this.#dispatcher = new Dispatcher(options, {
      inFlight: this.#inFlight,
      streams: this.#streams,
      openStreams: this.#openStreams,
      slowClients,
      longBodies,
    });
    const serve = (incoming: RequestSource, outgoing: Outgoing): void =>
      void this.#dispatcher.serve(incoming, outgoing);
    // Must come before all other connection listeners.
    const isDirect = tls === undefined && options.reading !== 'node';
    this.#direct = isDirect ? new DirectListener(this.#server, { serve, ...limits }) : undefined;
    serveNodeRequests(this.#server, serve);
    const { maxUrlBytes } = limits;
    refuseUnreadable(this.#server, { maxUrlBytes, direct: this.#direct, longBodies });
    this.#server.on('timeout', closeIfStillIdle);
    this.#stopClosingIdle = closeIdleSockets(
      this.#server,
      limits.idleSocketMs,
      slowClients,
      (socket) => this.#openStreams.has(socket),
    );
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // listening on TCP, so never a pipe
  }

  get scheme(): 'http' | 'https' {
    return this.#node.scheme;
  }

  get requestsInFlight(): number {
    return this.#inFlight.count;
  }

  get requestsWaiting(): number {
    return this.#inFlight.waiting;
  }

  get activeStreams(): number {
    return this.#streams.count;
  }

  get openStreams(): readonly StreamFigures[] {
    return this.#openStreams.figures;
  }

  get requestsRefused(): number {
    return this.#inFlight.refused;
  }

  listen(): Promise<void> {
    const {
      advertised = [],
      allowedHosts = [],
      publicUrl = '',
      host,
      limits,
      port,
    } = this.#options;
    // Connections that come while the process is busy wait in the kernel's queue. When it is full
    // their packets are dropped, and clients retry after 1, 3, 7, … seconds.
    const backlog = limits.maxConnections;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host, backlog }, () => {
        this.#server.off('error', reject);
        const bound = { bound: host, port: this.port, scheme: this.scheme };
        this.#dispatcher.serveAs(
          new HostCheck({
            ...bound,
            allowed: allowedHosts,
            advertised: [...advertised, publicUrl],
          }),
        );
        resolve();
      });
    });
  }

  replaceTls(material: TlsMaterial): void {
    this.#node.replaceTls(material);
  }

  open(): void {
    this.#inFlight.open();
  }

  drain(): Promise<void> {
    this.#openStreams.endForDrain();
    return this.#inFlight.drain();
  }

  stopListening(): void {
    // Not the HTTP server's own close: that one also closes idle connections, whose next request
    // may be in transit.
    NetServer.prototype.close.call(this.#server);
  }

  close(): Promise<void> {
    this.#stopClosingIdle();
    this.#openStreams.endForDrain();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#direct?.close();
      this.#server.closeAllConnections();
    });
  }
}
