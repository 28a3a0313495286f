import { type EventTopic, StatusError } from '@quartermaster/kernel';

const maxKeyBytes = 255;
const idPattern = /^[!-~]{1,128}$/;

/** Throws unless the topic declares the group. */
export function checkGroup(topic: EventTopic<unknown>, group: string): void {
  if (topic.groups.includes(group)) return;
  throw refuse(`topic ${topic.name} has no group "${group}": declare it in eventTopic, or use one of ${topic.groups.join(', ')}`);
}

/** A key is any text up to 255 bytes of UTF-8; the empty one means that there is no key. */
export function checkKey(topic: string, key: string): void {
  if (!key.isWellFormed()) throw refuse(`topic ${topic}: key is not well-formed Unicode (half of a surrogate pair)`);
  const size = Buffer.byteLength(key);
  if (size > maxKeyBytes) throw refuse(`topic ${topic}: key has ${size} bytes, the limit is ${maxKeyBytes}`);
}

/** An id is what consumers recognise a repeated event by. */
export function checkId(topic: string, id: string): void {
  if (!idPattern.test(id)) throw refuse(`topic ${topic}: id must be 1 to 128 visible ASCII characters without spaces`);
}

function refuse(message: string): StatusError {
  return new StatusError('invalid_argument', message);
}
