// Short answers are written to their sockets at the end of the round of the event loop in which they
// were made. Each write may wake its client, and waking it costs more than a short answer itself; a
// client that has not gone to sleep again needs no waking.

import type { Socket } from 'node:net';

/** So many answers do not wait for the end of the round: the first ones would wait too long. */
const MOST_ANSWERS = 32;
/** UTF-16 code units. Compared with a longer answer, waking its client costs little. */
const LONGEST_ANSWER = 16 * 1024;

export class WriteBatch {
  readonly #atRoundEnd: (callback: () => void) => void;
  readonly #writeAll = (): void => this.writeAll();
  #sockets: Socket[] = [];

  constructor(atRoundEnd: (callback: () => void) => void) {
    this.#atRoundEnd = atRoundEnd;
  }

  write(socket: Socket, answer: string, encoding: 'latin1' | 'utf8'): void {
    if (answer.length <= LONGEST_ANSWER && socket.writableCorked === 0) this.#add(socket);
    socket.write(answer, encoding);
  }

  #add(socket: Socket): void {
    if (this.#sockets.length === MOST_ANSWERS) this.writeAll();
    if (this.#sockets.length === 0) this.#atRoundEnd(this.#writeAll);
    socket.cork();
    this.#sockets.push(socket);
  }

  /** Call it before sockets are destroyed. */
  writeAll(): void {
    const sockets = this.#sockets;
    this.#sockets = [];
    for (const socket of sockets) socket.uncork();
  }
}
