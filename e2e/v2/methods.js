// Records which methods of a library were called, so that a test can find untested ones.

/**
 * Wraps a library, and records the names of the called methods that send requests, such as
 * "channel.sort.block".
 */
export function noting(value, called, name = "") {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const member = target[key];
      if (typeof key !== "string") return member;
      const bound = typeof member === "function" ? member.bind(target) : member;
      return noting(bound, called, name ? `${name}.${key}` : key);
    },
    apply: (method, of, args) => {
      const given = Reflect.apply(method, of, args);
      if (typeof given?.then !== "function") return noting(given, called, name);
      called.add(name);
      return given;
    },
  });
}

/** The names of the methods of an object and of nested ones. */
export function namesOf(value, name) {
  if (typeof value === "function") return [name];
  return Object.entries(value).flatMap(([key, member]) => namesOf(member, `${name}.${key}`));
}
