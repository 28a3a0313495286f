import { readNamedSecret, readOrMake } from '@quartermaster/auth/secret-file';
import { type Clock, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import { FileWatch, systemFiles } from '@quartermaster/service';
import { KeyRing, parseKeyRing, type RingKey } from '@quartermaster/store/key-ring';

/** The keys that cookies are sealed with. Replicas that share them share their sessions. */
export interface SessionKeys {
  /** Seals. */
  current(): RingKey;
  /** Opens what was sealed with it. */
  find(id: string): RingKey | undefined;
  close(): Promise<void>;
}

export interface SessionKeyOptions {
  /** Made when it is not there. Without one, the keys last as long as the process. */
  readonly file: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The keys of a file, which is followed: a key that is put first seals from then on, and one that is taken out ends its sessions. */
export async function openSessionKeys({ file, clock, log }: SessionKeyOptions): Promise<SessionKeys> {
  if (file === undefined) {
    const own = parseKeyRing(KeyRing.generate());
    return { ...lookup(() => own), close: () => Promise.resolve() };
  }
  let keys = parseKeyRing(
    await readOrMake(file, () => KeyRing.generate(), { isNamed: true }).catch((thrown: unknown) => unusable(file, thrown)),
  );
  const watch = new FileWatch({
    paths: [file],
    clock,
    files: { ...systemFiles, readText: readNamedSecret },
    onChange: (snapshot) => {
      const content = snapshot.get(file);
      try {
        keys = parseKeyRing(typeof content === 'string' ? content : unusable(file, content));
        log.info('the key ring of the console was read again', { file, keys: keys.map(({ id }) => id) });
      } catch (error) {
        log.error('the key ring of the console is ignored, the last good one stays in use', { file, error });
      }
    },
  });
  await watch.start();
  // What changed between the first reading and the watch is seen now.
  await watch.look();
  return { ...lookup(() => keys), close: () => watch.close() };
}

function lookup(keys: () => readonly [RingKey, ...RingKey[]]): Pick<SessionKeys, 'current' | 'find'> {
  return { current: () => keys()[0], find: (id) => keys().find((key) => key.id === id) };
}

function unusable(file: string, thrown: unknown): never {
  throw new StatusError('invalid_argument', `console-key-ring-file ${file} cannot be read: ${messageOf(thrown)}`);
}
