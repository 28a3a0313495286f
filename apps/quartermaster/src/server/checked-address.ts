import { StatusError } from '@quartermaster/kernel';

/** The address, when it is one; undefined when none is given. `origin` is who said it, for the complaint. */
export function checkedAddress(text: string | undefined, origin: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^(\[[\da-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/i.test(text)) return text;
  throw new StatusError('invalid_argument', `${origin} "${text}" must be HOST:PORT, such as 127.0.0.1:8081`);
}
