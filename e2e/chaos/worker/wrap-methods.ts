/** A method as it can be called without knowing which it is. */
export type AnyMethod = (...parameters: readonly unknown[]) => unknown;

/** What stands around a method: gets its name, what it was called with, and the way to call it. */
export type Around = (name: string, parameters: readonly unknown[], proceed: AnyMethod) => unknown;

/** An object whose methods, those named, go through `around`; everything else is as it was. */
export function wrapMethods<Target extends object>(target: Target, names: readonly string[], around: Around): Target {
  return new Proxy(target, {
    get(object, key) {
      const member: unknown = Reflect.get(object, key, object);
      if (typeof member !== "function") return member;
      // What is called here has the parameters its caller's types gave it.
      const method = ((...parameters: readonly unknown[]) => Reflect.apply(member, object, parameters)) as AnyMethod;
      if (typeof key !== "string" || !names.includes(key)) return method;
      return (...parameters: readonly unknown[]) => around(key, parameters, method);
    },
  });
}
