/**
 * Where one `up` keeps everything. The directory belongs to one running `up` at a time and is known by its marker file, which also
 * says in which format the rest is. Nothing that `up` did not make is ever read or deleted.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import type { DeclaredRole } from '@quartermaster/runtime';
import { z } from 'zod';
import { fileProblem, hasCode } from '../files/file-problem.ts';
import { refuseForeign } from '../files/refuse-foreign.ts';
import { writeWhole } from '../files/write-whole.ts';
import { roles } from '../roles/roles.ts';
import { type ProcessLock, takeProcessLock } from '../run/process-lock.ts';
import { controlFileIn } from '../run/run-file.ts';

/** The simulated world that a directory keeps. */
export interface World {
  /** Name or path of the scenario, as it was given. */
  readonly scenario: string;
  /** Of the scenario's content: a changed file is another world. */
  readonly fingerprint: string;
}

const formatVersion = 1;
const markerName = 'quartermaster.json';
const product = 'quartermaster up';

const markerSchema = z.object({
  product: z.literal(product),
  format: z.int().positive(),
  world: z.object({ scenario: z.string(), fingerprint: z.string() }).optional(),
});
type Marker = z.infer<typeof markerSchema>;

/** A role, as far as it is known what it keeps. */
export interface KeepingRole {
  readonly declaration: Pick<DeclaredRole['declaration'], 'prefix' | 'database'>;
}

// What `up` makes in its directory besides the marker, the lock and a folder for each role that keeps data: exactly this is deleted by a reset.
const madeNames = ['kubeconfig', 'run.json', 'simulator', 'simulator-control.json'];
const lockFile = /^lock(\.|-draft\.)\d+$/;

const elsewhere = 'give a directory that you may write to with --data-dir DIR';

const mineAlone = 'give a directory of your own with --data-dir DIR, or take the rights from others with chmod go-w';

/** An open directory is locked until `close`. */
export class DataDirectory {
  readonly path: string;
  readonly #lock: ProcessLock;
  readonly #madeNames: readonly string[];
  #marker: Marker;

  private constructor(path: string, lock: ProcessLock, marker: Marker, known: readonly KeepingRole[]) {
    this.path = path;
    this.#lock = lock;
    this.#marker = marker;
    this.#madeNames = [...madeNames, ...known.flatMap((role) => folderOfRole(role) ?? [])];
  }

  /** Creates what is missing. Throws one clear `StatusError` when the directory is foreign, newer, in use or not writable: whoever could write it could have put keys there. */
  static open(path: string, known: readonly KeepingRole[] = roles): DataDirectory {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      refuseForeign(path, mineAlone);
      refuseOtherFiles(path);
      const lock = takeProcessLock(path);
      try {
        const marker = readMarker(path) ?? { product, format: formatVersion };
        writeMarker(path, marker);
        return new DataDirectory(path, lock, marker, known);
      } catch (error) {
        lock.release();
        throw error;
      }
    } catch (error) {
      throw fileProblem(error, path, elsewhere);
    }
  }

  get kubeconfig(): string {
    return join(this.path, 'kubeconfig');
  }

  /** Of the simulated API server's own data. */
  get simulator(): string {
    return join(this.path, 'simulator');
  }

  /** Of the fulfillment service: its database, keys and tokens. */
  get fulfillment(): string {
    return join(this.path, 'fulfillment');
  }

  /** Where the simulation says how its faults are controlled. */
  get control(): string {
    return controlFileIn(this.path);
  }

  get world(): World | undefined {
    return this.#marker.world;
  }

  /**
   * Ties the directory to a world. Throws when it already keeps another one, since the objects of that one would stay beside
   * those of the new one.
   */
  keepWorld(world: World): void {
    const kept = this.#marker.world;
    if (kept !== undefined && kept.fingerprint !== world.fingerprint) {
      const difference =
        kept.scenario === world.scenario
          ? `keeps a world of the scenario ${kept.scenario} as it was before it was changed`
          : `keeps a world of the scenario ${kept.scenario}, not of ${world.scenario}`;
      throw new StatusError(
        'failed_precondition',
        `${this.path} ${difference}: start over with --reset, or keep both with another --data-dir DIR`,
      );
    }
    this.#replaceMarker({ ...this.#marker, world });
  }

  /** Deletes what `up` made here and nothing else. The directory stays open and is empty as a new one. */
  reset(): void {
    for (const name of this.#madeNames) rmSync(join(this.path, name), { recursive: true, force: true });
    this.#replaceMarker({ product, format: formatVersion });
  }

  /** Whether there is anything that a reset would delete. */
  get isEmpty(): boolean {
    const names = readdirSync(this.path);
    return !this.#madeNames.some((name) => names.includes(name));
  }

  close(): void {
    this.#lock.release();
  }

  #replaceMarker(marker: Marker): void {
    writeMarker(this.path, marker);
    this.#marker = marker;
  }
}

/** What the folder of a role is called; undefined for one that keeps nothing. */
export function folderOfRole({ declaration: { prefix, database } }: KeepingRole): string | undefined {
  return database === undefined ? undefined : prefix;
}

function refuseOtherFiles(path: string): void {
  const names = readdirSync(path).filter((name) => !lockFile.test(name));
  if (names.length === 0 || names.includes(markerName)) return;
  throw new StatusError(
    'failed_precondition',
    `${path} holds files that \`quartermaster up\` did not make: give an empty or a new directory with --data-dir DIR`,
  );
}

function readMarker(path: string): Marker | undefined {
  const file = join(path, markerName);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    content = undefined;
  }
  const format = z.object({ format: z.number() }).safeParse(content);
  if (format.success && format.data.format > formatVersion) {
    throw new StatusError(
      'failed_precondition',
      `${path} was written by a newer Quartermaster (data format ${format.data.format}, this one knows ${formatVersion}): run the newer one, or give another directory with --data-dir DIR`,
    );
  }
  const marker = markerSchema.safeParse(content);
  if (marker.success) return marker.data;
  throw new StatusError('failed_precondition', `${file} is damaged: restore it, or give another directory with --data-dir DIR`);
}

/** By a draft that does not count as a file of somebody else, should it be all that a crash leaves. */
function writeMarker(path: string, marker: Marker): void {
  writeWhole(join(path, markerName), `${JSON.stringify(marker, undefined, 2)}\n`, { draft: join(path, `lock-draft.${process.pid}`) });
}
