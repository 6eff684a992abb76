package dev.once.launcher;

import java.io.IOException;
import java.nio.file.Path;

/** What {@code ./once} calls: {@code Main PROJECT}. */
public final class Main {

  private static final int FAILED = 1;
  private static final int BY_MAVEN = 3;

  private Main() {}

  public static void main(String[] arguments) throws InterruptedException {
    // A proxy may ask for a name and a password on the way to an https server.
    System.setProperty("jdk.http.auth.tunneling.disabledSchemes", "");
    Progress progress = new Progress(System.err, Boolean.getBoolean("once.terminal.err"));
    System.exit(make(Path.of(arguments[0]), Machine.here(), progress));
  }

  static int make(Path project, Machine machine, Progress progress) throws InterruptedException {
    try {
      new Launcher(project, machine, progress).make();
      return 0;
    } catch (CannotException e) {
      progress.say(e.why() + "; Maven builds it instead ...");
      return BY_MAVEN;
    } catch (RefusedException e) {
      progress.say(e.why());
      return FAILED;
    } catch (IOException e) {
      progress.say("cannot be built here: " + e);
      return FAILED;
    }
  }
}
