/** The segments of a path as errors have it: `spec.node_sets['a.b'].size`, ``metadata.labels.`a.b` ``, `nics[0].mac`. */
export function fieldSegments(path: string): readonly string[] {
  const pattern = /`((?:[^`]|``)*)`|\["((?:[^"\\]|\\.)*)"\]|\['([^']*)'\]|\[(\d+)\]|([^.[\]`]+)/g;
  return [...path.matchAll(pattern)].map(([, backquoted, double, single, index, bare]) => {
    if (backquoted !== undefined) return backquoted.replaceAll('``', '`');
    return double ?? single ?? index ?? bare ?? '';
  });
}
