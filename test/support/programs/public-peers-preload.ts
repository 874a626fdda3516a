/**
 * Preloaded into the service (`node --import <this file>`): the peer 127.203.113.N appears as 203.0.113.N, an address
 * outside private networks. Tests need neither a network interface nor root for it.
 */
import { EventEmitter } from 'node:events';
import { Server, Socket } from 'node:net';

const PLAYED = /^127\.203\.113\./;

// The getter of the prototype cannot be replaced, so each socket gets its own property.
Server.prototype.emit = function (event: string | symbol, ...values: unknown[]): boolean {
  const [socket] = values;
  if (event === 'connection' && socket instanceof Socket) {
    const value = socket.remoteAddress?.replace(PLAYED, '203.0.113.');
    Object.defineProperty(socket, 'remoteAddress', { value });
  }
  return EventEmitter.prototype.emit.call(this, event, ...values);
};
