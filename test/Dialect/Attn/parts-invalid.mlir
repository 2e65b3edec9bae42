// Every constraint of parts of a stream.
// RUN: attn-opt %s --split-input-file -verify-diagnostics

attn.kernel @type(%words: !attn.view<?xi32>, %n: index) {
  attn.grid (%part) visit %v in (part = %n) {
    // expected-error @below {{'attn.begin_part' op expected a view of i64, but got '!attn.view<?xi32>'}}
    %begun = attn.begin_part %part of 4 at %words[%n] : !attn.view<?xi32>
  }
}

// -----

attn.kernel @offsets(%words: !attn.view<?x3xi64>, %n: index) {
  attn.grid (%part) visit %v in (part = %n) {
    // expected-error @below {{'attn.begin_part' op expected 2 offsets into '!attn.view<?x3xi64>', but got 1}}
    %begun = attn.begin_part %part of 4 at %words[%n] : !attn.view<?x3xi64>
  }
}

// -----

attn.kernel @alone(%words: !attn.view<?xi64>, %n: index) {
  attn.grid (%part) visit %v in (part = %n) {
    // expected-error @below {{'attn.begin_part' op expected 2 to 31 parts, but got 1}}
    %begun = attn.begin_part %part of 1 at %words[%n] : !attn.view<?xi64>
  }
}

// -----

attn.kernel @many(%words: !attn.view<?xi64>, %n: index, %before: i64) {
  attn.grid (%part) visit %v in (part = %n) {
    // expected-error @below {{'attn.end_part' op expected 2 to 31 parts, but got 32}}
    %again, %seen = attn.end_part %before, %part of 32 at %words[%n] : !attn.view<?xi64>
  }
}

// -----

attn.kernel @host(%words: !attn.view<?xi64>, %n: index) {
  // expected-error @below {{'attn.begin_part' op expected to stand in a grid: beside it a kernel holds index arithmetic only}}
  %begun = attn.begin_part %n of 4 at %words[%n] : !attn.view<?xi64>
  attn.grid (%part) visit %v in (part = %n) {
  }
}

// -----

attn.kernel @number(%n: index, %begun: i64) {
  attn.grid (%part) visit %v in (part = %n) {
    // expected-error @below {{'attn.last_part' op expected what an attn.begin_part of the same block gives, but got another value}}
    attn.last_part %begun {
    }
  }
}

// -----

attn.kernel @branch(%words: !attn.view<?xi64>, %n: index, %some: i1) {
  attn.grid (%part) visit %v in (part = %n) {
    %begun = attn.begin_part %part of 4 at %words[%n] : !attn.view<?xi64>
    scf.if %some {
      // expected-error @below {{'attn.last_part' op expected what an attn.begin_part of the same block gives, but got another value}}
      attn.last_part %begun {
      }
    }
  }
}

// -----

attn.kernel @twice(%words: !attn.view<?xi64>, %n: index) {
  attn.grid (%part) visit %v in (part = %n) {
    %begun = attn.begin_part %part of 4 at %words[%n] : !attn.view<?xi64>
    // expected-error @below {{'attn.last_part' op expected to be all that uses the part that begins, but got another use}}
    attn.last_part %begun {
    }
    // expected-note @below {{which is here}}
    attn.last_part %begun {
    }
  }
}

// -----

attn.kernel @yields(%words: !attn.view<?xi64>, %n: index) {
  attn.grid (%part) visit %v in (part = %n) {
    %begun = attn.begin_part %part of 4 at %words[%n] : !attn.view<?xi64>
    // expected-error @below {{'attn.last_part' op expected its region to yield nothing, but got 1 values}}
    attn.last_part %begun {
      attn.yield %n : index
    }
  }
}

// -----

attn.kernel @arguments(%words: !attn.view<?xi64>, %n: index) {
  attn.grid (%part) visit %v in (part = %n) {
    %begun = attn.begin_part %part of 4 at %words[%n] : !attn.view<?xi64>
    // expected-error @below {{'attn.last_part' op expected no arguments of its region, but got 1}}
    "attn.last_part"(%begun) ({
    ^bb0(%i: index):
      "attn.yield"() : () -> ()
    }) : (i64) -> ()
  }
}
