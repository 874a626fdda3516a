import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { Crowd } from '../load/crowd.mjs';
import { LoopDelay } from '../watch/loop-delay.mjs';
import { Others } from '../watch/others.mjs';
import { processorMillis } from '../watch/processor-millis.mjs';

/** Several processes of the service on one database, and the processor time of each part of the system. */
export class Processes {
  static async start(stand, { size, mariadb }) {
    const processes = [];
    for (let index = 0; index < size; index += 1) {
      const loopDelay = new LoopDelay(join(stand.folder, `times-${index}.json`));
      processes.push({ loopDelay, service: await stand.start({ node: loopDelay.nodeArguments }) });
    }
    return new Processes(processes, mariadb, await createConnection(stand.database.access));
  }

  #processes;
  #mariadb;
  #connection;

  constructor(processes, mariadb, connection) {
    this.#processes = processes;
    this.#mariadb = mariadb;
    this.#connection = connection;
  }

  /** Runs `turn` on the first `size` processes, with `clients` spread over them. All times are per run of `turn`. */
  async measure(turn, { size, clients, seconds }) {
    const processes = this.#processes.slice(0, size);
    const crowds = await Promise.all(
      processes.map(({ service }) => Crowd.of(service.address, Math.ceil(clients / size))),
    );
    let runs = 0;
    const counted = async (connection) => {
      await turn(connection);
      runs += 1;
    };
    const others = new Others();
    const before = await this.#take(processes);
    const seen = await Promise.all(crowds.map((crowd) => crowd.rate(counted, seconds)));
    const after = await this.#take(processes);
    for (const crowd of crowds) crowd.close();
    const spent = Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
    const { processMillis, databaseMillis, clientMillis } = spent;
    return {
      size,
      rate: seen.reduce((sum, { rate }) => sum + rate, 0),
      ...Object.fromEntries(Object.entries(spent).map(([name, value]) => [name, value / runs])),
      workerMillis: (processMillis - spent.loopMillis) / runs,
      others: others.part(processMillis + databaseMillis + clientMillis),
    };
  }

  async stop() {
    await this.#connection.end();
    await Promise.all(this.#processes.map(({ service }) => service.stop()));
  }

  async #take(processes) {
    const times = [];
    for (const { loopDelay, service } of processes) times.push(await loopDelay.take(service));
    const sum = (name) => times.reduce((total, time) => total + time[name], 0);
    const [rows] = await this.#connection.query('SHOW GLOBAL STATUS');
    const status = new Map(rows.map(({ Variable_name: name, Value: value }) => [name, Number(value)]));
    const { user, system } = process.cpuUsage();
    return {
      loopMillis: sum('loopMillis'),
      processMillis: sum('cpuMillis'),
      databaseMillis: processorMillis(this.#mariadb.pid),
      clientMillis: (user + system) / 1000,
      statements: status.get('Questions'),
      flushes: status.get('Innodb_data_fsyncs'),
      lockWaits: status.get('Innodb_row_lock_waits'),
    };
  }
}
