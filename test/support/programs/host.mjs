/**
 * Runs the built service or its command line several times, one run after the other, in a process that loads their
 * modules only once. Each line of file descriptor 3 is one run as JSON: script, arguments, environment, working folder
 * and the module that moves its clock. The script itself is evaluated again for each run, so that everything it does at
 * startup and at its end happens. A run that ends with `process.exit` writes `end of run` to both outputs in place of the
 * end of the process; whatever else ends a run ends the process.
 */
import { realpathSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Events of the process to which a run listens. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
const EVENTS = ['exit', ...SIGNALS, 'uncaughtException', 'warning', 'worker'];
const endProcess = process.exit;
const [MachineDate, machineNow] = [Date, Date.now];
/** Listeners of the host itself, which stay at the end of a run. */
const listeners = new Map(EVENTS.map((event) => [event, process.listeners(event)]));
const methodsOfConsole = { ...console };

class EndOfScript extends Error {}

/** The resolved URL of each script. */
const sources = new Map();
let runs = 0;
let script = '';

process.exit = (code = 0) => {
  const isCalledByScript = new Error().stack?.includes(script) ?? false;
  // A failure elsewhere, such as a crash, leaves connections open, so it ends the host as well.
  if (code !== 0 && !isCalledByScript) endProcess(code);
  endRun(Number(code));
  // What follows the call in the script must not run.
  if (isCalledByScript) throw new EndOfScript();
};
syncBuiltinESMExports();

const control = new Socket({ fd: 3 });
createInterface(control).on('line', (line) => void run(JSON.parse(line)));

async function run({ url, args, env, cwd, clock }) {
  // A service without anything to do ends as it would without a host.
  control.unref();
  runs += 1;
  // Node resolves the link dist, and a build may point it elsewhere between two runs.
  if (!sources.has(url)) sources.set(url, pathToFileURL(realpathSync(fileURLToPath(url))).href);
  script = `${sources.get(url)}?run=${runs}`;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  // The same array, which modules import by its name.
  process.argv.splice(1, Infinity, fileURLToPath(url), ...args);
  process.chdir(cwd);
  globalThis.Date = MachineDate;
  Date.now = machineNow;
  if (clock !== undefined) await import(`${clock}&run=${runs}`);
  try {
    await import(script);
  } catch (error) {
    if (!(error instanceof EndOfScript)) throw error;
  }
}

function endRun(code) {
  process.emit('exit', code);
  for (const event of EVENTS) {
    for (const listener of process.listeners(event)) {
      if (!listeners.get(event).includes(listener)) process.off(event, listener);
    }
    for (const listener of listeners.get(event)) {
      if (!process.listeners(event).includes(listener)) process.on(event, listener);
    }
  }
  Object.assign(console, methodsOfConsole);
  control.ref();
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.write(`\0end of run ${code}\0`);
  }
}
