import type { Stock } from '../src/placement/stock.ts';

/** Everything of a stock that a placement can see, in an order that does not depend on how it came about. */
export function pictureOf(stock: Stock): unknown {
  const byText = (a: string, b: string): number => (a < b ? -1 : 1);
  const twins = [...stock.index.all()].map(
    ({ members }) =>
      `${members[0]?.key} ${members
        .map(({ name }) => name)
        .toSorted(byText)
        .join()}`,
  );
  const shelved = [...stock.index.shelves].flatMap(({ kind, broken, whole }) =>
    [...broken, ...whole].flatMap((set, at) =>
      set.map((each) => `${kind.key} ${at < broken.length ? at : `whole ${at - broken.length}`} ${each.twins.members[0]?.key}`),
    ),
  );
  const nodes = [...stock.nodes].map(({ name, room, key, takesWork }) => ({ name, room: structuredClone(room), key, takesWork }));
  return {
    nodes: nodes.toSorted((a, b) => byText(a.name, b.name)),
    twins: twins.toSorted(byText),
    shelved: shelved.toSorted(byText),
    ports: stock.freePorts,
    ips: stock.freeIps,
    classes: ['disk', 'flash'].map((name) => {
      const facts = stock.storage.get(name);
      return facts === undefined ? undefined : stock.storage.room(facts);
    }),
  };
}
