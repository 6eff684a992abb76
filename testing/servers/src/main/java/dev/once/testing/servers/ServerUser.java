package dev.once.testing.servers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The user that a server runs as, where it refuses to be root.
 *
 * <ul>
 *   <li>Whoever is not root is that user.
 *   <li>Root enters a user namespace without a name: the files stay its own, the rights are gone.
 *   <li>Where namespaces are forbidden, as in most containers, root becomes nobody.
 * </ul>
 */
enum ServerUser {
  MYSELF(""),
  NAMELESS("unshare --user"),
  NOBODY("setpriv --reuid=65534 --regid=65534 --clear-groups");

  private static final ServerUser NOT_ROOT = find();

  private final String prefix;

  ServerUser(String prefix) {
    this.prefix = prefix;
  }

  static ServerUser notRoot() {
    return NOT_ROOT;
  }

  private static ServerUser find() {
    if (!System.getProperty("user.name").equals("root")) {
      return MYSELF;
    }
    return Commands.works("unshare", "--user", "true") ? NAMELESS : NOBODY;
  }

  List<String> command(List<String> command) {
    List<String> all = new ArrayList<>();
    if (this != MYSELF) {
      all.addAll(List.of(prefix.split(" ")));
    }
    all.addAll(command);
    return all;
  }

  /** Makes a folder this user's own. */
  void own(Path folder) {
    if (this == NOBODY) {
      Commands.run("chown", "-R", "65534:65534", folder.toString());
    }
  }
}
