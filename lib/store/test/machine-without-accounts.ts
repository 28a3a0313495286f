import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface MachineWithoutAccounts {
  /** What it has for /etc: what is added to the machine can be read here, and goes with the folder. */
  readonly etc: string;
  /** The words that run a program there. Only root can do that, with the right to mount. */
  readonly running: (program: readonly string[], options?: { readonly hasUseradd?: boolean | undefined }) => [string, ...string[]];
}

/** This machine as it is to some processes: without accounts for a database, and perhaps without the program that adds any. `folder` must not exist. */
export async function machineWithoutAccounts(folder: string): Promise<MachineWithoutAccounts> {
  await cp('/etc', folder, { recursive: true, verbatimSymlinks: true });
  for (const name of ['passwd', 'shadow', 'group', 'gshadow']) {
    const file = join(folder, name);
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, lines.filter((line) => !/^(quartermaster-)?postgres:/.test(line)).join('\n'));
  }
  const hideUseradd = 'for each in /usr/sbin/useradd /sbin/useradd; do test ! -e $each || mount --bind /dev/null $each; done';
  return {
    etc: folder,
    running: (program, { hasUseradd = true } = {}) => {
      const steps = ['mount --bind "$0" /etc', ...(hasUseradd ? [] : [hideUseradd]), 'exec "$@"'];
      return ['unshare', '--mount', 'sh', '-c', steps.join(' && '), folder, ...program];
    },
  };
}
