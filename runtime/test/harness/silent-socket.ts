import { EventEmitter } from 'node:events';

/** An in-memory socket whose peer sends nothing unless the test emits it. */
export class SilentSocket extends EventEmitter {
  bufferedAmount = 0;
  pings = 0;
  isTerminated = false;
  closedWith: number | undefined;
  readonly sent: (string | Uint8Array)[] = [];
  ping = () => {
    this.pings++;
    this.emit('pinged');
  };
  readonly pongs: Uint8Array[] = [];
  pong = (data: Uint8Array) => this.pongs.push(data);
  send = (data: string | Uint8Array) => this.sent.push(data);
  cork = () => {};
  uncork = () => {};
  pause = () => {};
  resume = () => {};
  close = (code: number) => {
    this.closedWith = code;
    this.emit('close', code);
  };
  terminate = () => {
    this.isTerminated = true;
    this.emit('close', 1006);
  };
}
