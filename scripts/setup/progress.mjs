/**
 * Progress of long steps, for people at a terminal and for logs of a build server.
 *
 * On a terminal a running step is one line, rewritten in place with its elapsed time. Elsewhere it is a line when it
 * starts, one every 15 seconds and one when it ends, so that a log shows that something still moves.
 */

/**
 * @typedef {object} Step
 * @property {(text: string) => void} update What the step is doing now.
 * @property {(text?: string) => void} done Ends the step well. Later calls have no effect.
 * @property {(text?: string) => void} fail Ends the step badly. Later calls have no effect.
 */

/**
 * @typedef {object} Log
 * @property {(text: string) => void} info One line, at once, also while a step is running.
 * @property {(text: string) => Step} step Starts a step. Whoever starts one ends it.
 */

/**
 * @typedef {object} LogStream
 * @property {boolean} [isTTY]
 * @property {number} [columns]
 * @property {(text: string) => unknown} write
 */

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
const heartbeatMs = 15_000;

/**
 * Writes to standard error, so that what a command prints for programs stays clean.
 *
 * @param {LogStream} [stream]
 * @returns {Log}
 */
export function createLog(stream = process.stderr) {
  return stream.isTTY === true ? terminalLog(stream) : plainLog(stream);
}

/**
 * Does the work as one step, which ends as the work does.
 *
 * @template T
 * @param {Log} log
 * @param {string} title
 * @param {(step: Step) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inStep(log, title, work) {
  const step = log.step(title);
  try {
    const result = await work(step);
    step.done();
    return result;
  } catch (error) {
    step.fail();
    throw error;
  }
}

/** @param {LogStream} stream @returns {Log} */
function plainLog(stream) {
  /** @param {string} text */
  const info = (text) => void stream.write(`${text}\n`);
  return {
    info,
    step(title) {
      const elapsed = stopwatch();
      let now = '';
      info(`${title} ...`);
      const timer = setInterval(() => info(`  ${title}${detail(now)} (${elapsed()})`), heartbeatMs);
      timer.unref();
      return endingOnce(timer, {
        update: (text) => {
          now = text;
        },
        end: (mark, text) => info(`${mark} ${title}${detail(text)} (${elapsed()})`),
      });
    },
  };
}

/** @param {LogStream} stream @returns {Log} */
function terminalLog(stream) {
  /** @type {Set<() => string>} running step -> its line now */
  const running = new Set();
  let drawn = 0;
  let frame = 0;

  const clear = () => {
    if (drawn > 0) stream.write(`\r\u001b[${drawn > 1 ? `${drawn - 1}A\u001b[` : ''}J`);
    drawn = 0;
  };
  const draw = () => {
    const width = (stream.columns || 80) - 1;
    const lines = [...running].map((line) => `${frames[frame % frames.length]} ${line()}`.slice(0, width));
    stream.write(lines.join('\n'));
    drawn = lines.length;
  };
  /** @param {string} text */
  const info = (text) => {
    clear();
    stream.write(`${text}\n`);
    draw();
  };

  return {
    info,
    step(title) {
      const elapsed = stopwatch();
      let now = '';
      const line = () => `${title}${detail(now)} (${elapsed()})`;
      running.add(line);
      const timer = setInterval(() => {
        frame += 1;
        clear();
        draw();
      }, frameMs);
      timer.unref();
      return endingOnce(timer, {
        update: (text) => {
          now = text;
        },
        end: (mark, text) => {
          running.delete(line);
          info(`${mark} ${title}${detail(text)} (${elapsed()})`);
        },
      });
    },
  };
}

/**
 * @param {NodeJS.Timeout} timer
 * @param {{ update: (text: string) => void, end: (mark: string, text: string) => void }} handlers
 * @returns {Step}
 */
function endingOnce(timer, { update, end }) {
  let isRunning = true;
  /** @param {string} mark @param {string} text */
  const finish = (mark, text) => {
    if (!isRunning) return;
    isRunning = false;
    clearInterval(timer);
    end(mark, text);
  };
  return {
    update,
    done: (text = '') => finish('✓', text),
    fail: (text = 'failed') => finish('✗', text),
  };
}

function stopwatch() {
  const startedMs = performance.now();
  return () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
}

/** @param {string} text */
const detail = (text) => (text === '' ? '' : `: ${text}`);
