/**
 * Preloaded into the service (`node --import <this file>`): whoever calls from 127.203.113.N seems to call from
 * 203.0.113.N, as a peer does that is in no private network. No test needs an interface, or root, for it.
 */
import { EventEmitter } from 'node:events';
import { Server, Socket } from 'node:net';

const PLAYED = /^127\.203\.113\./;

// The getter of the prototype cannot be replaced, so every socket gets an address of its own.
Server.prototype.emit = function (event: string | symbol, ...values: unknown[]): boolean {
  const [socket] = values;
  if (event === 'connection' && socket instanceof Socket) {
    const value = socket.remoteAddress?.replace(PLAYED, '203.0.113.');
    Object.defineProperty(socket, 'remoteAddress', { value });
  }
  return EventEmitter.prototype.emit.call(this, event, ...values);
};
