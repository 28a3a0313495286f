import { accessSync, constants } from 'node:fs';

/** True when the file is there and may be run. @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
