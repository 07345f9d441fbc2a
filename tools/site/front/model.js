// What a front end takes for the model of its widget: values, who hears of them, and replies without a kernel.

export class Model {
  constructor(values) {
    this.values = values;
    this.heard = {};
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
  }

  save_changes() {}

  on(name, act) {
    (this.heard[name] ??= []).push(act);
  }

  off(name, act) {
    this.heard[name] = (this.heard[name] ?? []).filter((each) => each !== act);
  }

  tell(name, ...content) {
    for (const act of this.heard[name] ?? []) act(...content);
  }

  change(name, value) {
    this.set(name, value);
    this.tell(`change:${name}`);
  }

  /** A kernel would answer later, too. */
  send(message) {
    queueMicrotask(() => this.receive(message));
  }
}
