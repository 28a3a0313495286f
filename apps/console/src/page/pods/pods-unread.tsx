/** Said to whom no pods are shown: which of the two it is, the console tells nobody but those who may see them. */
export function PodsUnread() {
  return (
    <p className="empty-line">
      You are shown no pods: the console has to read Kubernetes (console-kubernetes), and you have to be an administrator or a provider of
      the fulfillment service, or an administrator of the inventory.
    </p>
  );
}
