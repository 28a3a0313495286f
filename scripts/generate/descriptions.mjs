/**
 * @typedef {{ path?: number[], leadingComments?: string }} Location
 * @typedef {{ name: string, field?: Named[], nestedType?: Message[], enumType?: Enumeration[] }} Message
 * @typedef {{ name: string }} Named
 * @typedef {{ name: string, value?: Named[] }} Enumeration
 * @typedef {{ name: string, method?: Named[] }} Service
 * @typedef {{ package?: string, messageType?: Message[], enumType?: Enumeration[], service?: Service[], sourceCodeInfo?: { location?: Location[] } }} File
 */

// Numbers of the fields of Google's descriptors, of which paths in source information are made.
const inFile = { message: 4, enumeration: 5, service: 6 };
const inMessage = { field: 2, message: 3, enumeration: 4 };
const second = 2; // values of an enumeration, methods of a service

/** Packages whose comments are for readers of the API. */
const described = /^(events|fulfillment|metadata|private|quartermaster|shared)\./;

/**
 * The comments of contracts by full name: `private.v1.HostSpec.rack`. Generated code has no comments at run time.
 *
 * @param {{ file: File[] }} image What `buf build` gives as JSON.
 * @returns {Record<string, string>} Sorted by name.
 */
export function descriptionsIn(image) {
  /** @type {[string, string][]} */
  const all = [];
  for (const file of image.file.filter((each) => described.test(`${each.package ?? ''}.`))) {
    const comments = new Map((file.sourceCodeInfo?.location ?? []).map((each) => [(each.path ?? []).join('.'), each.leadingComments]));
    for (const [path, name] of namesIn(file)) {
      const text = comments
        .get(path)
        ?.replaceAll(/^ /gm, '')
        .trim()
        .replaceAll(/\n(?!\n)/g, ' ');
      if (text !== undefined && text !== '') all.push([name, text]);
    }
  }
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {File} file @returns {Generator<[path: string, name: string]>} */
function* namesIn({ package: name = '', messageType = [], enumType = [], service = [] }) {
  for (const [at, each] of messageType.entries()) yield* ofMessage(each, `${name}.${each.name}`, `${inFile.message}.${at}`);
  for (const [at, each] of enumType.entries()) yield* ofParent(each.name, each.value, name, `${inFile.enumeration}.${at}`);
  for (const [at, each] of service.entries()) yield* ofParent(each.name, each.method, name, `${inFile.service}.${at}`);
}

/** @param {Message} message @param {string} name @param {string} path @returns {Generator<[path: string, name: string]>} */
function* ofMessage({ field = [], nestedType = [], enumType = [] }, name, path) {
  yield [path, name];
  for (const [at, each] of field.entries()) yield [`${path}.${inMessage.field}.${at}`, `${name}.${each.name}`];
  for (const [at, each] of nestedType.entries()) yield* ofMessage(each, `${name}.${each.name}`, `${path}.${inMessage.message}.${at}`);
  for (const [at, each] of enumType.entries()) yield* ofParent(each.name, each.value, name, `${path}.${inMessage.enumeration}.${at}`);
}

/** @param {string} own @param {Named[] | undefined} parts @param {string} above @param {string} path @returns {Generator<[path: string, name: string]>} */
function* ofParent(own, parts, above, path) {
  yield [path, `${above}.${own}`];
  for (const [at, each] of (parts ?? []).entries()) yield [`${path}.${second}.${at}`, `${above}.${own}.${each.name}`];
}
