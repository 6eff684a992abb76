package dev.once.launcher;

/** A user name and its password, for a server or a proxy. */
record Login(String user, String password) {

  @Override
  public String toString() {
    return user;
  }
}
