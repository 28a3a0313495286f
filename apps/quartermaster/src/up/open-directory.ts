import { confirmReset } from './confirm-reset.ts';
import { DataDirectory } from './data-directory.ts';
import type { UpOptions } from './up-options.ts';

/** Opens the data directory, emptied first when that was asked for and confirmed. */
export async function openDirectory({ dataDir, reset, confirmed }: UpOptions): Promise<DataDirectory> {
  const directory = DataDirectory.open(dataDir);
  try {
    if (reset && !directory.isEmpty) {
      if (!confirmed) await confirmReset(dataDir, { input: process.stdin, output: process.stderr });
      directory.reset();
    }
    return directory;
  } catch (error) {
    directory.close();
    throw error;
  }
}
