import type { Connection as DriverConnection } from 'mysql2';

/** Private members of a command of `mysql2`. */
interface Command {
  onResult?: (error: Error) => void;
  /** Without a packet, sends the command; with one, reads a part of its response. True once the response is complete. */
  execute(packet: unknown, connection: Connection): boolean;
}

/** Private members of a connection of `mysql2`. */
interface Connection {
  /** Commands that wait until the response to an earlier one is complete. */
  readonly _commands: { readonly length: number };
  /** The command whose response is read. */
  _command: Command | null | undefined;
  /** The number of the next packet; those of a command and its response count from 0. */
  sequenceId: number;
  addCommand: (command: Command) => unknown;
  write: (packet: Buffer) => void;
}

/**
 * Sends commands without waiting for the responses to earlier ones, which `mysql2` does not offer. The server reads one
 * command after the other from the connection and responds in the same order. What is sent in one turn of the event loop is
 * one write.
 *
 * A command of the driver that is not pipelined, such as the preparation of a statement, waits for all earlier responses,
 * and later commands wait for it, so commands never overtake each other.
 */
export class StatementPipelining {
  private readonly connection: Connection;
  /** Commands whose responses are due. */
  private readonly sent: Command[] = [];
  private packets: Buffer[] = [];
  private isPipelined = false;

  /** Takes the place of the command whose response the driver reads. */
  private readonly reader: Command = {
    execute: (packet, connection) => {
      if (this.sent[0]?.execute(packet, connection) === true) {
        this.sent.shift();
        connection.sequenceId = 1;
      }
      return this.sent.length === 0;
    },
    // The connection has failed.
    onResult: (error) => {
      for (const command of this.sent.splice(0)) command.onResult?.(error);
    },
  };

  constructor(connection: DriverConnection) {
    const own = connection as unknown as Connection;
    this.connection = own;
    const { addCommand, write } = own;
    // When the connection fails, the driver replaces both functions.
    own.addCommand = (command) => {
      if (this.isPipelined && this.isInOrder) this.send(command);
      else addCommand.call(own, command);
      return command;
    };
    own.write = (packet) => {
      if (this.packets.push(packet) > 1) return;
      process.nextTick(() => {
        const packets = this.packets;
        this.packets = [];
        write.call(own, packets.length === 1 ? packet : Buffer.concat(packets));
      });
    };
  }

  /** Calls `add`, which adds commands to the connection that need not wait for earlier responses. */
  pipelined(add: () => void): void {
    this.isPipelined = true;
    try {
      add();
    } finally {
      this.isPipelined = false;
    }
  }

  /** True if the server may still execute a command. */
  get isBusy(): boolean {
    const { _command, _commands } = this.connection;
    return _commands.length > 0 || Boolean(_command);
  }

  /** True if no command waits in the queue of the driver. */
  private get isInOrder(): boolean {
    const { _command, _commands } = this.connection;
    return _commands.length === 0 && (!_command || _command === this.reader);
  }

  private send(command: Command): void {
    // Sending changes the number of the next packet, which belongs to the response that is being read.
    const next = this.sent.length === 0 ? 1 : this.connection.sequenceId;
    const isOver = command.execute(undefined, this.connection);
    this.connection.sequenceId = next;
    if (isOver) return;
    this.sent.push(command);
    this.connection._command = this.reader;
  }
}
