import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** The owner shows this often that it is alive. */
const heartbeatMs = 5_000;
/** An owner that was silent for so long is gone, even if another process has its pid by now. */
const silentMs = 60_000;
const pollMs = 500;

/** @typedef {{ id: string, pid: number, host: string }} Owner */

/**
 * Does the work while no other process does work under the same lock file. The lock of an owner that died is taken
 * over. Two processes that find the same dead owner in the same instant may both go on: what they do must bear it.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(ownerPid: number) => void} [onWait] Called once when another process has to be waited for.
 * @returns {Promise<T>}
 */
export async function exclusively(file, work, onWait) {
  /** @type {Owner} */
  const me = { id: randomUUID(), pid: process.pid, host: hostname() };
  mkdirSync(dirname(file), { recursive: true });
  for (let hasWaited = false; !tryCreate(file, me); hasWaited = true) {
    const owner = readOwner(file);
    if (isGone(file, owner)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!hasWaited) onWait?.(owner?.pid ?? 0);
    await wait(pollMs);
  }
  const heartbeat = setInterval(() => touch(file), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (readOwner(file)?.id === me.id) rmSync(file, { force: true });
  }
}

/** @param {string} file @param {Owner} owner */
function tryCreate(file, owner) {
  try {
    writeFileSync(file, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file @returns {Owner | undefined} */
function readOwner(file) {
  try {
    return /** @type {Owner} */ (JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** @param {string} file @param {Owner | undefined} owner */
function isGone(file, owner) {
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (touchedMs === undefined) return false;
  if (Date.now() - touchedMs > silentMs) return true;
  return owner !== undefined && owner.host === hostname() && !isAlive(owner.pid);
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @param {string} file */
function touch(file) {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // Taken over after a long pause of this process: the new owner keeps it alive.
  }
}
