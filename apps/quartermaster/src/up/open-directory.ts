import { insistOnYes, person } from '../text/confirm.ts';
import { DataDirectory } from './data-directory.ts';
import type { UpOptions } from './up-options.ts';

/** Opens the data directory, emptied first when that was asked for and confirmed. */
export async function openDirectory({ dataDir, reset, confirmed }: UpOptions): Promise<DataDirectory> {
  const directory = DataDirectory.open(dataDir);
  try {
    if (reset && !directory.isEmpty) {
      const question = `Delete everything that \`quartermaster up\` keeps in ${dataDir}?`;
      const effect = `--reset deletes what is kept in ${dataDir}`;
      if (!confirmed) await insistOnYes(question, effect, 'nothing was deleted and nothing was started', person);
      directory.reset();
    }
    return directory;
  } catch (error) {
    directory.close();
    throw error;
  }
}
