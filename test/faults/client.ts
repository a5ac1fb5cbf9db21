// Clients that survive the end of their server: a lost answer is a return value, not an exception.

import { Agent } from 'node:http';
import { type Answer, type RequestOptions, sendRequest } from '../http-client.ts';
import { API } from '../service.ts';

/** Undefined when the connection ended before the answer was complete. */
export type Reply = Answer | undefined;

export class Client implements Disposable {
  readonly port: number;
  readonly #agent: Agent;

  constructor(port: number, connections = 64) {
    this.port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** The path is relative to `{api}`. */
  send(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.sendTo(method, API + path, options);
  }

  sendTo(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const { port } = this;
    return sendRequest({ port, agent: this.#agent, method, path, ...options }).catch(
      () => undefined,
    );
  }

  /** Throws when there is no answer. */
  async get(path: string): Promise<Answer> {
    return this.require('GET', path);
  }

  async require(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const reply = await this.send(method, path, options);
    if (reply === undefined) throw new Error(`no answer to ${method} ${path}`);
    return reply;
  }

  put(path: string, body: string): Promise<Reply> {
    return this.send('PUT', path, { body });
  }

  query(oql: string): Promise<Reply> {
    return this.send('GET', `/queries/adhoc?q=${encodeURIComponent(oql)}`);
  }

  /** Ends all connections; requests on them get no answer. Later requests open new ones. */
  disconnect(): void {
    this.#agent.destroy();
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** The `code` of an error answer. */
export function codeOf(reply: Reply): string {
  return reply === undefined ? '(no answer)' : String(Object(JSON.parse(reply.text)).code);
}
